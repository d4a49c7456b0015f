import { expect } from 'vitest';

/** The response of the live service or of a tree. */
export interface Answered {
  readonly status: number;
  /** The headers that the interface defines, as lines. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Returns the headers that the interface defines, as lines. */
export function headersOf(get: (name: string) => string | undefined): string[] {
  return ['Content-Type', 'Vary', 'Allow'].map((name) => `${name}: ${get(name)}`);
}

/** Expects the same status, headers and bytes in our response and in that of the live service. */
export function expectSame(ours: Answered, theirs: Answered, request: string): void {
  expect([ours.status, ...ours.headers], request).toEqual([theirs.status, ...theirs.headers]);
  if (ours.body.equals(theirs.body)) return;
  const different = ours.body.findIndex((byte, index) => byte !== theirs.body[index]);
  const at = different === -1 ? ours.body.length : different;
  // Latin-1 shows every byte as one character
  const around = (body: Buffer) => body.subarray(Math.max(0, at - 60), at + 60).toString('latin1');
  expect(around(ours.body), `${request}: around byte ${at}`).toBe(around(theirs.body));
}
