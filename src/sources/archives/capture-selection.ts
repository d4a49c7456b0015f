import { type IncompleteMirror, reportsIn } from '../../contract/files/incomplete-mirror.ts';
import { COLLECTIONS, type Collection } from '../../contract/pages/collection.ts';
import { IDENTITIES } from '../../warc/account-identities.ts';
import type { ReadRecord, RecordHeader } from '../../warc/read-records.ts';
import { damaged, isDamage, type OnDamage } from '../../warc/warc-damage.ts';
import { type NumberRange, NumberRanges } from '../items/number-ranges.ts';
import { itemPositions, positionOf } from '../items/page-links.ts';
import { bodyOf, envelopeIn, NoPage } from './captured-page.ts';
import { type FoundRecord, recordsOf, type WarcFile } from './warc-file.ts';

/** What an archive has, and what of it is imported. */
export interface ArchiveReport {
  readonly archive: string;
  /** Captures of pages that are imported. */
  readonly pages: number;
  /** Captures of pages that are not imported, because another capture of the same page is. */
  readonly repeated: number;
  /** Captures at the addresses of pages that are not pages, such as an answer with status 429. */
  readonly failed: number;
  /** Captures at other addresses. */
  readonly other: number;
  /** Damaged parts that were skipped, with a rejects file. */
  readonly damaged_parts: number;
  /** Pages without a capture that is a page: how many there are, and the first 1,000, each with the reason. */
  readonly missing: { readonly count: number; readonly listed: readonly { readonly url: string; readonly reason: string }[] };
}

/** The captures to import: for each WARC the numbers of the records. */
export interface CaptureSelection {
  readonly chosen: readonly ReadonlySet<number>[];
  /** For each WARC the number of its records with identities. */
  readonly identities: readonly number[];
  /** The length of the chosen pages, in bytes. */
  readonly size: number;
  readonly report: ArchiveReport;
  /** What the archive says that it lacks. */
  readonly incomplete: readonly IncompleteMirror[];
  /** The base URL of the chosen pages, if they have only one. */
  readonly baseUrl: string | undefined;
}

interface Capture extends PageAddress {
  readonly file: number;
  readonly number: number;
  readonly date: string;
  readonly length: number;
  /** The positions of its items in their collection; undefined if they are unknown. */
  readonly positions: NumberRange | undefined;
}

const LISTED = 1000;
const RESPONSES = new Set(['response', 'resource', 'revisit']);

/**
 * Reads all records of the WARCs of one archive, checks them, and chooses the captures to import: the last good one of
 * each address. If items are on none of these, because pages moved between two captures, earlier captures are added.
 * @param onDamage called for each damaged part; without it, damage is an error
 * @throws Failure bad-archive
 */
export async function selectCaptures(archive: string, files: readonly WarcFile[], onDamage?: OnDamage): Promise<CaptureSelection> {
  const captures: Capture[] = [];
  const failures = new Map<string, { readonly url: string; readonly reason: string }>();
  const incomplete: IncompleteMirror[] = [];
  let [failed, revisits, other] = [0, 0, 0];
  const identities = files.map(() => 0);
  for (const [file, warc] of files.entries()) {
    for await (const record of recordsOf(warc, isNeeded, onDamage)) {
      if (isIdentity(record)) identities[file] = (identities[file] ?? 0) + 1;
      if (record.type === 'warcinfo' && record.block !== undefined) incomplete.push(...reportsIn(record.block.toString()));
      const address = RESPONSES.has(record.type) ? pageAddressOf(record.url) : undefined;
      if (address === undefined) {
        other += record.type === 'response' || record.type === 'resource' ? 1 : 0;
        continue;
      }
      try {
        captures.push(captureOf(warc.name, file, record, address));
      } catch (error) {
        const reason = error instanceof NoPage ? error.message : reportDamage(error, record, onDamage);
        if (record.type === 'revisit') revisits += 1;
        else failed += 1;
        failures.set(address.key, { url: record.url, reason });
      }
    }
  }
  const chosen = choose(captures);
  const baseUrls = new Set(chosen.map(({ set }) => set.split(' ')[0]));
  const good = new Set(captures.map(({ key }) => key));
  const missing = [...failures].filter(([key]) => !good.has(key)).map(([, failure]) => failure);
  return {
    chosen: files.map((_, file) => new Set(chosen.filter((one) => one.file === file).map(({ number }) => number))),
    identities,
    size: chosen.reduce((sum, { length }) => sum + length, 0),
    incomplete,
    baseUrl: baseUrls.size === 1 ? [...baseUrls][0] : undefined,
    report: {
      archive,
      pages: chosen.length,
      repeated: captures.length - chosen.length + revisits,
      failed,
      other,
      damaged_parts: 0,
      missing: { count: missing.length, listed: missing.slice(0, LISTED) },
    },
  };
}

/**
 * Reports a record with a wrong digest.
 * @returns why it is not imported
 * @throws the error, if damage is an error
 */
function reportDamage(error: unknown, { byte }: FoundRecord, onDamage: OnDamage | undefined): string {
  if (onDamage === undefined || !isDamage(error)) throw error;
  onDamage(damaged(error.place.file ?? '', error.expected ?? '', error.found ?? '', byte));
  return 'a wrong digest';
}

export function isIdentity({ type, url }: RecordHeader): boolean {
  return type === 'metadata' && url === IDENTITIES.uri;
}

/** Whether the block of a record is needed: it may be a page, or say what the archive lacks. */
function isNeeded({ type, url }: RecordHeader): boolean {
  return type === 'warcinfo' || ((type === 'response' || type === 'resource') && pageAddressOf(url) !== undefined);
}

/** @throws NoPage, Failure bad-archive */
function captureOf(archive: string, file: number, record: ReadRecord, address: PageAddress): Capture {
  if (record.type === 'revisit') throw new NoPage('a revisit record: the page is in another archive');
  const body = bodyOf(archive, record);
  const { count, next, previous, results } = envelopeIn(body.toString());
  const positions = positionsOf(address.collection, { count, next, previous, items: results.length });
  return { ...address, file, number: record.number, date: record.date, length: body.length, positions };
}

function positionsOf(collection: Collection, page: Parameters<typeof itemPositions>[1]): NumberRange | undefined {
  if (page.next === null && page.previous === null && page.items === page.count) return { from: 1, to: page.count };
  const { number } = positionOf(page);
  return number === undefined ? undefined : itemPositions(collection, page, number);
}

/** Chooses the last capture of each address, and earlier ones as long as they have items that the chosen ones lack. */
function choose(captures: readonly Capture[]): readonly Capture[] {
  const newestFirst = captures.toSorted(
    (one, other) => compare(second(other), second(one)) || other.file - one.file || other.number - one.number,
  );
  const last = new Map<string, Capture>();
  for (const capture of newestFirst) if (!last.has(capture.key)) last.set(capture.key, capture);
  const covered = new Map<string, NumberRanges>();
  const cover = ({ set, positions }: Capture): boolean => {
    const ranges = covered.get(set) ?? new NumberRanges();
    covered.set(set, ranges);
    if (positions === undefined || positions.from > positions.to) return false;
    const isNew = ranges.gaps(positions.from, positions.to).length > 0;
    if (isNew) ranges.add(positions.from, positions.to);
    return isNew;
  };
  for (const capture of last.values()) cover(capture);
  const others = newestFirst.filter((capture) => last.get(capture.key) !== capture);
  return [...last.values(), ...others.filter((capture) => cover(capture))];
}

/** The order in the archive tells captures of one second apart: some tools write a fraction, others do not. */
function second({ date }: Capture): string {
  return date.slice(0, 19);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

interface PageAddress {
  readonly collection: Collection;
  /** The same for all pages of one collection. */
  readonly set: string;
  /** The same for two addresses of one page, such as `/rest/data/` and `/rest/data/?page=1`. */
  readonly key: string;
}

const PATH = /^(.*)\/rest\/(data|account)\/(?:page\/(\d+|last)\/)?(?:index\.json)?$/;

function pageAddressOf(url: string): PageAddress | undefined {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname, searchParams } = new URL(url);
  const [, base, name, inPath] = PATH.exec(pathname) ?? [];
  const collection = COLLECTIONS.find((one) => one === name);
  if (collection === undefined) return undefined;
  const page = searchParams.getAll('page').at(-1) ?? inPath ?? '1';
  searchParams.delete('page');
  searchParams.sort();
  const set = [origin + base, collection, searchParams.toString()].join(' ');
  return { collection, set, key: `${set} ${page}` };
}
