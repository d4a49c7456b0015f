import { expect } from 'vitest';

/** What a request was answered with, by the live service or from a tree. */
export interface Answered {
  readonly status: number;
  /** Those of which the interface speaks, as lines. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The headers of which the interface speaks, as lines. */
export function headersOf(get: (name: string) => string | undefined): string[] {
  return ['Content-Type', 'Vary', 'Allow'].map((name) => `${name}: ${get(name)}`);
}

/** Holds our answer to the live service's: the same status, the same headers, the same bytes. */
export function expectSame(ours: Answered, theirs: Answered, request: string): void {
  expect([ours.status, ...ours.headers], request).toEqual([theirs.status, ...theirs.headers]);
  if (ours.body.equals(theirs.body)) return;
  const different = ours.body.findIndex((byte, index) => byte !== theirs.body[index]);
  const at = different === -1 ? ours.body.length : different;
  // Latin-1 shows every byte as it is
  const around = (body: Buffer) => body.subarray(Math.max(0, at - 60), at + 60).toString('latin1');
  expect(around(ours.body), `${request}: around byte ${at}`).toBe(around(theirs.body));
}
