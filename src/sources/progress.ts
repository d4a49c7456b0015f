import type { Input } from './source.ts';

/** Inputs that tell how much of them has been read. @param onProgress called with the bytes read so far, of all together */
export function* withProgress(inputs: readonly Input[], onProgress: ((bytes: number) => void) | undefined): Generator<Input> {
  let bytes = 0;
  async function* meter(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      yield chunk;
      bytes += chunk.length;
      onProgress?.(bytes);
    }
  }
  for (const input of inputs) yield { ...input, open: () => meter(input.open()) };
}
