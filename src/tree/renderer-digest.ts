import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders of the program whose code determines the bytes of pages, and the files that pages are made from. */
const FOLDERS = ['../browse', '../contract', '../pages', '../store', '../../src/browse/assets'];

let known: string | undefined;

/** Returns a digest of what renders pages: two programs with the same digest render the same bytes from the same store. */
export function rendererDigest(): string {
  known ??= digestOf(FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url))));
  return known;
}

function digestOf(folders: readonly string[]): string {
  const extensions = new Set([extname(import.meta.url), '.css', '.svg']);
  const sha256 = createHash('sha256');
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.toSorted()) {
      if (!extensions.has(extname(name)) || name.endsWith('.d.ts')) continue;
      const bytes = readFileSync(`${folder}/${name}`);
      sha256.update(`${name}\n${bytes.length}\n`).update(bytes);
    }
  }
  return sha256.digest('hex').slice(0, 16);
}
