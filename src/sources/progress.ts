import type { Input } from './source.ts';

/**
 * Wraps inputs so that they report how many bytes have been read.
 * @param onProgress called with the number of bytes read so far from all inputs
 */
export function* withProgress(inputs: readonly Input[], onProgress: ((bytes: number) => void) | undefined): Generator<Input> {
  let bytes = 0;
  async function* meter(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      yield chunk;
      bytes += chunk.length;
      onProgress?.(bytes);
    }
  }
  const metered = (input: Input): Input => ({ ...input, open: () => meter(input.open()) });
  async function* meteredPages(pages: AsyncIterable<Input>): AsyncGenerator<Input> {
    for await (const page of pages) yield metered(page);
  }
  for (const input of inputs) {
    const { pages } = input;
    yield pages === undefined ? metered(input) : { ...input, pages: () => meteredPages(pages()) };
  }
}
