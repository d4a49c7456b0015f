import type { Collection } from '../../contract/collection.ts';
import { gunzipWarc } from '../../warc/gunzip.ts';
import { type ReadRecord, type RecordHeader, readRecords } from '../../warc/read-records.ts';
import { type Interval, Intervals } from '../intervals.ts';
import { itemPositions } from '../item-positions.ts';
import { positionOf } from '../page-links.ts';
import { bodyOf, envelopeIn, NoPage } from './captured-page.ts';
import { type PageAddress, pageAddressOf } from './page-address.ts';

/** A WARC that can be read several times. */
export interface WarcFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** What an archive has, and what of it is imported. */
export interface ArchiveReport {
  readonly archive: string;
  /** Captures of pages that are imported. */
  readonly pages: number;
  /** Captures of pages that are not imported, because another capture of the same page is. */
  readonly repeated: number;
  /** Captures at the addresses of pages that are not pages, such as an answer with status 429. */
  readonly failed: number;
  /** Responses at other addresses. */
  readonly other: number;
  /** The first 1,000 addresses of pages without a capture that is a page, each with the reason. */
  readonly missing: readonly { readonly url: string; readonly reason: string }[];
}

/** The captures to import: for each WARC the numbers of the records. */
export interface Survey {
  readonly chosen: readonly ReadonlySet<number>[];
  /** The length of the chosen pages, in bytes. */
  readonly size: number;
  readonly report: ArchiveReport;
}

/** A capture that is a page. */
interface Capture extends PageAddress {
  readonly file: number;
  readonly number: number;
  readonly date: string;
  readonly length: number;
  /** The positions of its items in their collection; undefined if they are unknown. */
  readonly positions: Interval | undefined;
}

const LISTED = 1000;
const RESPONSES = new Set(['response', 'resource', 'revisit']);

/**
 * Reads all records of the WARCs of one archive, checks them, and chooses the captures to import: the last good one of
 * each address. If items are on none of these, because pages moved between two captures, earlier captures are added.
 * @throws Failure bad-archive
 */
export async function survey(archive: string, files: readonly WarcFile[]): Promise<Survey> {
  const captures: Capture[] = [];
  const failures = new Map<string, { readonly url: string; readonly reason: string }>();
  let [failed, revisits, other] = [0, 0, 0];
  for (const [file, warc] of files.entries()) {
    for await (const record of readRecords(warc.name, gunzipWarc(warc.name, warc.size, warc.open()), isCapture)) {
      const address = RESPONSES.has(record.type) ? pageAddressOf(record.url) : undefined;
      if (address === undefined) {
        other += record.type === 'response' ? 1 : 0;
        continue;
      }
      try {
        captures.push(captureOf(warc.name, file, record, address));
      } catch (error) {
        if (!(error instanceof NoPage)) throw error;
        if (record.type === 'revisit') revisits += 1;
        else failed += 1;
        failures.set(address.key, { url: record.url, reason: error.message });
      }
    }
  }
  const chosen = choose(captures);
  const good = new Set(captures.map(({ key }) => key));
  const missing = [...failures].filter(([key]) => !good.has(key)).map(([, failure]) => failure);
  return {
    chosen: files.map((_, file) => new Set(chosen.filter((one) => one.file === file).map(({ number }) => number))),
    size: chosen.reduce((sum, { length }) => sum + length, 0),
    report: {
      archive,
      pages: chosen.length,
      repeated: captures.length - chosen.length + revisits,
      failed,
      other,
      missing: missing.slice(0, LISTED),
    },
  };
}

/** Whether a record may be a page, so that its block is needed. */
function isCapture({ type, url }: RecordHeader): boolean {
  return (type === 'response' || type === 'resource') && pageAddressOf(url) !== undefined;
}

/** @throws NoPage, Failure bad-archive */
function captureOf(archive: string, file: number, record: ReadRecord, address: PageAddress): Capture {
  if (record.type === 'revisit') throw new NoPage('a revisit record: the page is in another archive');
  const body = bodyOf(archive, record);
  const { count, next, previous, results } = envelopeIn(body);
  const positions = positionsOf(address.collection, { count, next, previous, items: results.length });
  return { ...address, file, number: record.number, date: record.date, length: body.length, positions };
}

function positionsOf(collection: Collection, page: Parameters<typeof itemPositions>[1]): Interval | undefined {
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
  const covered = new Map<string, Intervals>();
  const cover = ({ set, positions }: Capture): boolean => {
    const intervals = covered.get(set) ?? new Intervals();
    covered.set(set, intervals);
    if (positions === undefined || positions.from > positions.to) return false;
    const isNew = intervals.gaps(positions.from, positions.to).length > 0;
    if (isNew) intervals.add(positions.from, positions.to);
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
