import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Browse files of each media type, with their texts: the home page, three HTML pages of each collection, and others. */
export const BROWSE_FILES: ReadonlyMap<string, string> = new Map([
  ['index.html', html('home')],
  ['browse/404.html', html('page not found')],
  ...[1, 2, 3].map((page): [string, string] => [`browse/changes/${page}.html`, html(`changes ${page}`)]),
  ...[1, 2, 3].map((page): [string, string] => [`browse/accounts/${page}.html`, html(`accounts ${page}`)]),
  ['browse/account/3f/nina_k~p1.html', html('older changes of nina_k')],
  ['browse/changes.atom', '<feed xmlns="http://www.w3.org/2005/Atom"/>'],
  ['browse/assets/style.css', 'body { color: black }'],
  ['browse/assets/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['browse/search/-a.js', 'search("-a", []);'],
]);

/** Files that a tree does not have, and that hosts must not serve. */
const OTHER_FILES = ['browse/.hidden.html', 'browse/.git/index.html', 'browse/notes.txt', 'browse/changes/2.html.bak', 'other.html'];

/** The paths of files in the folder of the tree that hosts must not serve. */
export const UNSERVED_PATHS: readonly string[] = [...OTHER_FILES, 'build.json', 'manifest-sha256.txt'];

function html(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${text}</title><p>${text} – é</p></html>`;
}

/** Adds files to a tree that hosts must not serve. */
export function addOtherFiles(tree: string): void {
  for (const path of OTHER_FILES) write(join(tree, path), 'not for readers');
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Adds short browse files to a tree without them, and other files beside them. */
export function addBrowseFiles(tree: string): void {
  for (const [path, text] of BROWSE_FILES) write(join(tree, path), text);
  addOtherFiles(tree);
  const record = join(tree, 'build.json');
  const { browse_files: _, ...build } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, `${JSON.stringify({ ...build, browse_files: BROWSE_FILES.size })}\n`);
}
