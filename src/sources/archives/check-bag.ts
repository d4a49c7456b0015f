import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IDENTITIES } from '../../warc/account-identities.ts';
import { refused } from '../../warc/warc-damage.ts';

const ALGORITHMS = /^(tag)?manifest-(md5|sha1|sha256|sha512)\.txt$/;

/**
 * Checks a bag (BagIt 0.97 or 1.0): every file has the digest of each manifest, and no file of the payload is without one.
 * @throws Failure bad-archive
 */
export async function checkBag(bag: string): Promise<void> {
  const declaration = readFileSync(join(bag, 'bagit.txt'), 'utf8');
  if (!/^(\uFEFF)?BagIt-Version: (0\.97|1\.0)\r?\nTag-File-Character-Encoding: UTF-8\s*$/i.test(declaration)) {
    throw refused(bag, 'bagit.txt with BagIt-Version 0.97 or 1.0 and UTF-8', 'another declaration');
  }
  const names = readdirSync(bag);
  const manifests = names.flatMap((name) => {
    const [, tag, algorithm] = ALGORITHMS.exec(name) ?? [];
    return algorithm === undefined ? [] : [{ name, algorithm, isOfPayload: tag === undefined }];
  });
  if (!manifests.some(({ isOfPayload }) => isOfPayload))
    throw refused(bag, 'a manifest with MD5, SHA-1, SHA-256 or SHA-512', 'no such manifest');
  const payload = [...filesIn(bag, 'data')];
  // other tag files may be in no manifest, but this one is imported
  let isUnchecked = names.includes(IDENTITIES.file);
  for (const { name, algorithm, isOfPayload } of manifests) {
    const unlisted = isOfPayload ? new Set(payload) : new Set<string>();
    for (const { digest, path } of linesIn(bag, name)) {
      unlisted.delete(path);
      if (path === IDENTITIES.file) isUnchecked = false;
      const isPayload = path.startsWith('data/');
      if (isPayload !== isOfPayload || isOutside(path)) throw refused(bag, `paths inside the bag in ${name}`, path);
      const found = await digestOf(join(bag, path), algorithm);
      if (found === undefined) throw refused(bag, `the file ${path}`, 'no readable file');
      if (found !== digest) throw refused(bag, `${path} with the digest ${digest}`, found);
    }
    const [first] = unlisted;
    if (first !== undefined) throw refused(bag, `a line for each file in ${name}`, `no line for ${first}`);
  }
  if (isUnchecked) throw refused(bag, `a line for ${IDENTITIES.file} in a tag manifest`, 'no such line');
}

/**
 * Yields the paths of the files in a folder of the bag, with slashes. It reads one folder at a time, because `readdirSync` with
 * `recursive` follows links to folders on some releases of Node, also in circles.
 * @throws Failure bad-archive
 */
function* filesIn(bag: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(bag, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(bag, path);
    else if (entry.isFile()) yield path;
    else throw refused(bag, 'only files and folders', `${path}, a link or something else`);
  }
}

function* linesIn(bag: string, name: string): Generator<{ readonly digest: string; readonly path: string }> {
  for (const line of readFileSync(join(bag, name), 'utf8').split(/\r\n|\n|\r/)) {
    if (line.trim() === '') continue;
    const [, digest, path] = /^([0-9a-fA-F]+)[ \t]+\*?(?:\.\/)?(.+)$/.exec(line) ?? [];
    if (digest === undefined || path === undefined) throw refused(bag, `a digest and a path on each line of ${name}`, line.slice(0, 60));
    yield { digest: digest.toLowerCase(), path: path.replace(/%(0A|0D|25)/gi, (code) => decodeURIComponent(code)) };
  }
}

function isOutside(path: string): boolean {
  return path.startsWith('/') || path.includes('\\') || path.split('/').some((part) => part === '..' || part === '');
}

async function digestOf(path: string, algorithm: string): Promise<string | undefined> {
  const hash = createHash(algorithm);
  try {
    for await (const piece of createReadStream(path)) hash.update(piece);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
