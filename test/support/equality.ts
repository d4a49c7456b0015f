import { Buffer } from 'node:buffer';
import { expect } from 'vitest';

// Vitest compares bytes one by one, as properties: a tree of a few megabytes takes minutes
expect.addEqualityTesters([
  (one: unknown, other: unknown) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
]);
