import { constants, gunzipSync } from 'node:zlib';

/** How many bytes of a file tell what it is. */
export const HEAD_BYTES = 4096;

/** Whether the first bytes of a file are those of a WARC, compressed or not. */
export function startsAsWarc(head: Buffer): boolean {
  const start = isGzip(head) ? gunzipStart(head) : head;
  return start.subarray(0, 5).toString('latin1') === 'WARC/';
}

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

function gunzipStart(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}
