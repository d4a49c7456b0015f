import { readFileSync } from 'node:fs';

/** Returns the bytes of a file that pages use. The files are part of the program. */
export function asset(name: 'style.css' | 'icon.svg'): Buffer {
  return readFileSync(new URL(`../../src/browse/assets/${name}`, import.meta.url));
}
