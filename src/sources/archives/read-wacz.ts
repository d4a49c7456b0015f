import type { Entry, ZipFile } from 'yauzl';
import type { Failure } from '../../contract/failure.ts';
import { crc32After } from '../../contract/files/checksums.ts';
import { DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import { isObject } from '../../contract/json.ts';
import { claimedDigest, hashFor, isClaimed } from '../../warc/digest.ts';
import { damaged, isDamage, type OnDamage, refused } from '../../warc/warc-damage.ts';
import { MAX_ENTRIES, openZipFile } from '../unpack/zip-members.ts';
import type { WarcFile } from './warc-file.ts';
import { checkDirectory } from './zip-directory.ts';

/** An open WACZ. Its files have the hashes that it lists, unless damage was reported. */
export interface Wacz {
  readonly warcs: readonly WarcFile[];
  readonly close: () => void;
}

const DATAPACKAGE = 'datapackage.json';
const DIGEST = 'datapackage-digest.json';
/** The largest datapackage.json, in bytes: it is kept in memory. */
const MAX_METADATA = 1 << 26;

/**
 * Opens a WACZ and compares its files with their hashes. Nothing is unpacked to the disk. If damage is reported and the list
 * of the files at the end of the ZIP is lost, the whole ZIP is returned as one WARC, because it has the records uncompressed.
 * @param onDamage called for each damaged file; without it, damage is an error
 * @returns undefined if the ZIP is not a WACZ
 * @throws Failure bad-archive; bad-encoding if the files expand too much
 */
export async function openWacz(file: WarcFile, onDamage: OnDamage | undefined): Promise<Wacz | undefined> {
  const path = file.name;
  const zip = await openZip(file, onDamage);
  if (zip === undefined) return { warcs: [file], close: () => {} };
  try {
    const listed = await wrapErrors(path, () => entriesIn(zip));
    if (!listed.some(({ fileName }) => fileName === DATAPACKAGE) && !/\.wacz$/i.test(path)) {
      zip.close();
      return undefined;
    }
    const entries = entriesByName(path, zip, listed);
    await checkFiles(path, zip, entries, onDamage);
    const warcs = [...entries.values()].filter(({ fileName }) => /^archive\/.+\.warc(\.gz)?$/i.test(fileName));
    return {
      warcs: warcs.map((entry) => ({
        name: `${path}/${entry.fileName}`,
        size: entry.uncompressedSize,
        open: () => bytesOf(path, zip, entry),
      })),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/**
 * Opens a ZIP. Its end has the list of its files.
 * @returns undefined if the end was reported as damaged
 */
async function openZip({ name, size }: WarcFile, onDamage: OnDamage | undefined): Promise<ZipFile | undefined> {
  try {
    return await openZipFile(name);
  } catch (error) {
    if (!(error instanceof Error) || 'syscall' in error) throw error;
    const failure = damaged(name, 'a complete ZIP file', error.message, size);
    if (onDamage === undefined) throw failure;
    onDamage(failure);
    return undefined;
  }
}

async function entriesIn(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  // names with .. or a leading slash are an error here
  for await (const entry of zip.eachEntry()) if (entries.push(entry) > MAX_ENTRIES) break;
  return entries;
}

function entriesByName(path: string, zip: ZipFile, listed: readonly Entry[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  let packed = 0;
  for (const entry of listed) {
    const { fileName } = entry;
    packed += entry.compressedSize;
    if (entries.has(fileName)) throw refused(path, 'each file once', `${fileName} twice`);
    if (!entry.canDecodeFileData())
      throw refused(path, 'files that are stored or deflated', `${fileName}, encrypted or compressed differently`);
    if (packed > zip.fileSize) throw refused(path, 'files that do not overlap', 'files that are larger together than the ZIP');
    if (entries.size >= MAX_ENTRIES) throw refused(path, `at most ${MAX_ENTRIES} files`, 'more files');
    entries.set(fileName, entry);
  }
  return entries;
}

interface Resource {
  readonly path: string;
  readonly hash: string;
}

/** Compares the directory with the files, all files with datapackage.json, and that with its own digest. */
async function checkFiles(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>, onDamage: OnDamage | undefined): Promise<void> {
  /** Runs one check, and reports damage. */
  const check = async (work: () => Promise<void>): Promise<void> => {
    try {
      await wrapErrors(path, work);
    } catch (error) {
      if (onDamage === undefined || !isDamage(error)) throw error;
      onDamage(error);
    }
  };
  await checkDirectory(path, zip, [...entries.values()], check);
  const claims = new Map<string, string[]>();
  const claim = ({ path: name, hash }: Resource) => void claims.set(name, [...(claims.get(name) ?? []), hash]);
  await check(async () => {
    const datapackage = await jsonIn(path, zip, entries, DATAPACKAGE);
    const listed = isObject(datapackage) && Array.isArray(datapackage['resources']) ? datapackage['resources'] : [];
    for (const resource of listed) claim(resourceIn(path, DATAPACKAGE, resource));
    const unlisted = [...entries.keys()].find((name) => name.startsWith('archive/') && !name.endsWith('/') && !claims.has(name));
    if (unlisted !== undefined) throw damaged(path, `a hash of ${unlisted} in ${DATAPACKAGE}`, 'no hash');
  });
  await check(async () => {
    const digest = resourceIn(path, DIGEST, await jsonIn(path, zip, entries, DIGEST));
    if (digest.path !== DATAPACKAGE) throw damaged(path, `the hash of ${DATAPACKAGE} in ${DIGEST}`, `a hash of ${digest.path}`);
    claim(digest);
  });
  for (const name of new Set([...claims.keys(), ...entries.keys()])) {
    await check(() => checkFile(path, zip, name, entries.get(name), claims.get(name) ?? []));
  }
}

/** Compares a file with its CRC-32 and its hashes. @param claims none if datapackage.json does not list it */
async function checkFile(path: string, zip: ZipFile, name: string, entry: Entry | undefined, claims: readonly string[]): Promise<void> {
  if (entry === undefined) throw missing(path, name);
  const hashes = claims.map((text) => {
    const claimed = claimedDigest(text);
    if (claimed === undefined) throw damaged(path, `a sha256 hash of ${name}`, text);
    return { claimed, hash: hashFor(claimed) };
  });
  let crc = 0;
  for await (const piece of bytesOf(path, zip, entry)) {
    crc = crc32After(crc, piece);
    for (const { hash } of hashes) hash.update(piece);
  }
  for (const { claimed, hash } of hashes) {
    if (!isClaimed(claimed, hash.digest())) throw damaged(path, `${name} with the hash ${claimed.text}`, 'another hash');
  }
  if (crc !== entry.crc32) throw damaged(path, `${name} with the CRC-32 ${entry.crc32.toString(16)}`, crc.toString(16));
}

function missing(path: string, name: string): Failure {
  return damaged(path, `the file ${name}`, 'no such file');
}

/** Older versions of the format list the hash in `stats`. */
function resourceIn(path: string, file: string, value: unknown): Resource {
  const { path: name, hash, stats } = isObject(value) ? value : {};
  const found = hash ?? (isObject(stats) ? stats['hash'] : undefined);
  if (typeof name === 'string' && typeof found === 'string') return { path: name, hash: found };
  throw damaged(path, `a path and a hash of each file in ${file}`, 'an entry without them');
}

async function jsonIn(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>, name: string): Promise<unknown> {
  const entry = entries.get(name);
  if (entry === undefined) throw missing(path, name);
  if (entry.uncompressedSize > MAX_METADATA) throw damaged(path, `${name} of at most ${MAX_METADATA} bytes`, 'a larger one');
  const pieces: Uint8Array[] = [];
  for await (const piece of bytesOf(path, zip, entry)) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw damaged(path, `JSON in ${name}`, 'other text');
  }
}

async function* bytesOf(path: string, zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const expansion = new DecompressionLimit(`${path}/${entry.fileName}`);
  expansion.addPacked(entry.compressedSize);
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    expansion.addPlain(piece.length);
    yield piece;
  }
}

/** Errors of the ZIP library say what is wrong, but not with which file. */
async function wrapErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || 'hint' in error || 'syscall' in error) throw error;
    throw refused(path, 'a complete ZIP file whose file names stay inside one folder', error.message);
  }
}
