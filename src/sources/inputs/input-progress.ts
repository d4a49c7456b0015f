import type { Pauses } from '../../contract/event-loop-pauses.ts';
import type { Input } from '../source.ts';

/**
 * Wraps inputs so that they report how many bytes have been read, and end when the work is told to stop.
 * @param onProgress called with the number of bytes read so far from all inputs, and their total; 0 if it is unknown
 */
export function withProgress(inputs: readonly Input[], pauses: Pauses, onProgress: (done: number, all: number) => void): Input[] {
  const all = inputs.every(({ size }) => size !== undefined) ? inputs.reduce((sum, { size = 0 }) => sum + size, 0) : 0;
  let bytes = 0;
  async function* meter(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = source[Symbol.asyncIterator]();
    let isWaiting = false;
    try {
      for (;;) {
        isWaiting = true;
        const next = await pauses.until(chunks.next());
        isWaiting = false;
        if (next.done) return;
        yield next.value;
        bytes += next.value.length;
        onProgress(bytes, all);
      }
    } finally {
      // a stream that waits for bytes ends with them: the stopped work does not wait for it
      if (!isWaiting) await chunks.return?.();
    }
  }
  const metered = (input: Input): Input => ({ ...input, open: () => meter(input.open()), meter });
  async function* meteredPages(pages: AsyncIterable<Input>): AsyncGenerator<Input> {
    for await (const page of pages) yield metered(page);
  }
  return inputs.map((input) => {
    const { pages } = input;
    return pages === undefined ? metered(input) : { ...input, pages: () => meteredPages(pages()) };
  });
}
