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

/** Decompresses as much as the beginning of a gzip member gives. What follows a short member may be broken. */
function gunzipStart(head: Buffer): Buffer {
  for (let length = head.length; length >= 32; length = Math.floor(length / 2)) {
    try {
      return gunzipSync(head.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH });
    } catch {
      // a shorter part may be whole
    }
  }
  return Buffer.alloc(0);
}
