import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { chunks, writeFiles } from '../contract/files/write-files.ts';
import { encodeJson } from '../contract/json.ts';
import { COLLECTIONS } from '../contract/pages/collection.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { PageUrls, surt } from './page-urls.ts';
import { packageFields } from './publisher-fields.ts';
import { contentType, payloadDigest } from './resource-record.ts';
import { type ArchiveOptions, buildDate, type PlacedRecord, warcParts } from './warc.ts';

const WARC = 'data.warc.gz';
/** Local time, because a ZIP has no time zones: these numbers are in the file on every machine. */
const ZIP_OPTIONS = { compress: false, mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true } as const;

/** A file in a WACZ, as datapackage.json lists it. */
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Writes a tree as a WACZ 1.1.1: a ZIP with a WARC, its index, the list of entry points, and the size and SHA-256 of each.
 * @throws Failure tree-edited, file-system
 */
export async function writeWacz(tree: VerifiedTree, path: string, options: ArchiveOptions = {}): Promise<void> {
  const date = buildDate(tree);
  await writeFiles([{ path, content: zipOf(tree, date, options) }]);
}

/** Yields a ZIP while its files are made. */
async function* zipOf(tree: VerifiedTree, date: string, options: ArchiveOptions): AsyncGenerator<string | Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream;
  // its iterator throws the error
  const fail = (error: unknown) => void output.emit('error', error);
  zip.on('error', fail);
  const failed = new Promise<never>((_, reject) => output.once('close', () => reject(new Error('nobody reads the ZIP'))));
  failed.catch(() => {});
  const added = addFiles({ zip, failed }, tree, date, options).then(() => zip.end(), fail);
  try {
    yield* output;
  } finally {
    await added;
  }
}

/** A ZIP that is being written. */
interface Output {
  readonly zip: ZipFile;
  /** Rejects if it cannot be written any more. */
  readonly failed: Promise<never>;
}

/** Adds the files one after another: each needs what was counted while the one before it was written. */
async function addFiles(output: Output, tree: VerifiedTree, date: string, options: ArchiveOptions): Promise<void> {
  const addresses = new PageUrls(tree);
  const extents = new RecordExtents(addresses);
  async function* warc(): AsyncGenerator<Uint8Array> {
    for await (const { bytes, records } of warcParts(tree, addresses, { ...options, date, isCompressed: true })) {
      for (const record of records) extents.add(record);
      yield bytes;
    }
  }
  const resources = [
    await add(output, `archive/${WARC}`, warc()),
    await add(output, 'indexes/index.cdx', lines(cdxjLines(tree, addresses, extents, date, WARC))),
    await add(output, 'pages/pages.jsonl', lines(entryPoints(tree, date))),
  ];
  const { about, base_url, records, accounts } = tree.build;
  const counts = `The pages of a JSON API: ${records} records and ${accounts} accounts.`;
  const datapackage = encodeJson({
    profile: 'data-package',
    wacz_version: '1.1.1',
    title: `Profile changes of ${accounts} accounts from ${base_url}`,
    description: counts,
    ...(about && packageFields(about, counts)),
    created: date,
    software: `palimpsest ${VERSION}`,
    mainPageUrl: `${base_url}/${tree.build.browse_files === undefined ? 'rest/data/' : ''}`,
    mainPageDate: date,
    incomplete: tree.build.incomplete,
    resources,
  });
  const { path, hash } = await add(output, 'datapackage.json', lines([datapackage]));
  await add(output, 'datapackage-digest.json', lines([encodeJson({ path, hash })]));
}

/** Returns the lines of pages.jsonl: the home page if there is one, and one entry point for each collection, because a viewer loads the whole list. */
function entryPoints({ build }: VerifiedTree, date: string): string[] {
  const header = encodeJson({ format: 'json-pages-1.0', id: 'pages', title: 'Entry points' });
  const entry = (collection: (typeof COLLECTIONS)[number]) => ({
    id: collection,
    url: `${build.base_url}/rest/${collection}/`,
    ts: date,
    title: collection === 'data' ? 'Change records, newest first' : 'Accounts',
  });
  const home = { id: 'home', url: `${build.base_url}/`, ts: date, title: 'Home page' };
  const first = build.browse_files === undefined ? [] : [encodeJson(home)];
  return [header, ...first, ...COLLECTIONS.map((collection) => encodeJson(entry(collection)))];
}

/** Adds a file to a ZIP while it is made. */
async function add({ zip, failed }: Output, path: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Resource> {
  const sha256 = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      sha256.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  const stream = Readable.from(counted(), { objectMode: false });
  const ended = once(stream, 'end');
  zip.addReadStream(stream, path, ZIP_OPTIONS);
  try {
    await Promise.race([ended, failed]);
  } finally {
    // after an error nobody reads the rest: the threads that make it must end too
    stream.destroy();
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { name, path, hash: `sha256:${sha256.digest('hex')}`, bytes };
}

function* lines(texts: Iterable<string>): Generator<Uint8Array> {
  for (const chunk of chunks(terminated(texts))) yield Buffer.from(chunk);
}

function* terminated(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}\n`;
}

/** Where each record of a WARC begins, and its length, in bytes. An address takes 16 bytes. */
class RecordExtents {
  readonly #numbers: Float64Array;

  constructor({ count }: PageUrls) {
    this.#numbers = new Float64Array(2 * count);
  }

  add({ page, offset, length }: PlacedRecord): void {
    this.#numbers.set([offset, length], 2 * page.place);
  }

  get(place: number): { readonly offset: number; readonly length: number } {
    const [offset = 0, length = 0] = this.#numbers.subarray(2 * place, 2 * place + 2);
    return { offset, length };
  }
}

/** Yields the lines of the CDXJ index of a tree's WARC, sorted by their bytes. */
function* cdxjLines(
  { build }: VerifiedTree,
  addresses: PageUrls,
  extents: RecordExtents,
  date: string,
  filename: string,
): Generator<string> {
  const timestamp = date.replace(/\D/g, '');
  for (const page of addresses.sorted()) {
    const url = `${build.base_url}/${page.address}`;
    const { offset, length } = extents.get(page.place);
    const fields = {
      url,
      mime: contentType(build.base_url, url).split(';')[0],
      status: '200',
      digest: payloadDigest(page),
      length: String(length),
      offset: String(offset),
      filename,
    };
    yield `${surt(url)} ${timestamp} ${JSON.stringify(fields)}`;
  }
}
