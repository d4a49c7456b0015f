import { Failure } from '../../contract/failure.ts';
import { plural } from '../../contract/plural.ts';
import { gunzipWarc } from '../../warc/gunzip.ts';
import { readRecords } from '../../warc/read-records.ts';
import type { Input } from '../source.ts';
import { bodyOf } from './captured-page.ts';
import { type ArchiveReport, type Survey, survey, type WarcFile } from './survey.ts';
import { openWacz } from './wacz.ts';

/** A web archive whose pages can be imported. */
export interface OpenArchive {
  /** The input, with the pages of the archive. */
  readonly input: Input;
  readonly report: ArchiveReport;
  readonly close: () => void;
}

/**
 * Opens a web archive, checks all its bytes and chooses the pages to import.
 * @returns undefined for a ZIP file that is not a WACZ
 * @throws Failure bad-archive if the archive is damaged, no-source if it has no page
 */
export async function openArchive(input: Input, kind: 'warc' | 'zip'): Promise<OpenArchive | undefined> {
  const wacz = kind === 'zip' ? await openWacz(input.name) : undefined;
  const warcs = kind === 'warc' ? [{ name: input.name, size: input.size ?? 0, open: input.open }] : wacz?.warcs;
  if (warcs === undefined) return undefined;
  const close = wacz?.close ?? (() => {});
  try {
    const found = await survey(input.name, warcs);
    if (found.report.pages === 0) throw withoutPages(found.report);
    return { input: { ...input, size: found.size, pages: () => pagesIn(warcs, found) }, report: found.report, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Yields the chosen pages in the order of the archive. */
async function* pagesIn(warcs: readonly WarcFile[], { chosen }: Survey): AsyncGenerator<Input> {
  for (const [file, warc] of warcs.entries()) {
    const numbers = chosen[file] ?? new Set();
    if (numbers.size === 0) continue;
    const isChosen = (_: unknown, number: number) => numbers.has(number);
    for await (const record of readRecords(warc.name, gunzipWarc(warc.name, warc.size, warc.open()), isChosen)) {
      if (record.block === undefined) continue;
      const body = bodyOf(warc.name, record);
      const open = async function* () {
        yield body;
      };
      yield { name: `${warc.name}: ${record.url}`, size: body.length, open };
    }
  }
}

function withoutPages({ archive, failed, other, missing }: ArchiveReport): Failure {
  const [first] = missing;
  const found =
    first === undefined
      ? `${plural(other, 'response')} at other addresses`
      : `${plural(failed, 'failed capture')}, such as ${first.url}: ${first.reason}`;
  return new Failure('no-source', `${archive} has no page of the API`, {
    place: { file: archive },
    expected: 'responses with status 200 at …/rest/data/ or …/rest/account/',
    found,
    hint: 'check that you named the right archive',
  });
}
