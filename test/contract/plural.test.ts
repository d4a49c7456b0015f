import { expect, it } from 'vitest';
import { plural } from '../../src/contract/plural.ts';

it.each([
  [0, '0 records'],
  [1, '1 record'],
  [999, '999 records'],
  [1000, '1,000 records'],
  [1_234_567, '1,234,567 records'],
])('%i has its separators and its plural', (count, text) => expect(plural(count, 'record')).toBe(text));
