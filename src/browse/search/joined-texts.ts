import type { ByteText } from '../markup.ts';

const CHUNK_SIZE = 16_384;

/** Texts that are joined with commas. They take a byte for each character, so much less memory than strings. */
export class JoinedTexts {
  #chunks: Buffer[] = [];
  /** The number of bytes of the last chunk that are in use. */
  #used = 0;

  add(text: ByteText): void {
    const part = this.#chunks.length === 0 ? text : `,${text}`;
    let last = this.#chunks.at(-1);
    if (last === undefined || this.#used + part.length > last.length) {
      if (last !== undefined) this.#chunks[this.#chunks.length - 1] = last.subarray(0, this.#used);
      last = Buffer.allocUnsafeSlow(Math.max(CHUNK_SIZE, part.length));
      this.#chunks.push(last);
      this.#used = 0;
    }
    this.#used += last.write(part, this.#used, 'latin1');
  }

  /** Returns the joined texts, and removes them to free the memory. */
  take(): ByteText {
    const last = this.#chunks.pop()?.subarray(0, this.#used);
    const text = [...this.#chunks, ...(last ? [last] : [])].map((chunk) => chunk.toString('latin1')).join('');
    this.#chunks = [];
    return text;
  }
}
