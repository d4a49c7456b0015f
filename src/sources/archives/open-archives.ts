import { closeSync, openSync, readSync } from 'node:fs';
import { Failure } from '../../contract/failure.ts';
import { plural } from '../../contract/plural.ts';
import { HEAD_BYTES, startsAsWarc } from '../../warc/detect.ts';
import { unreadableInput } from '../rejection.ts';
import type { Input, InputError } from '../source.ts';
import { checkBag } from './bag.ts';
import { bodyOf } from './captured-page.ts';
import { isDamage, type OnDamage } from './damage.ts';
import { type ArchiveReport, recordsOf, type Survey, survey, type WarcFile } from './survey.ts';
import { openWacz } from './wacz.ts';

export interface OpenArchives {
  /** The inputs, with the pages of those that are web archives. */
  readonly inputs: readonly Input[];
  readonly reports: readonly ArchiveReport[];
  readonly close: () => void;
}

/**
 * Opens the web archives (WARC and WACZ) among the inputs, checks all their bytes and chooses the pages to import. Also
 * checks the bags that inputs are in.
 * @param onReject called for each damaged part of a WARC or WACZ, so that its other pages are imported; without it, damage
 *   is an error
 * @throws Failure bad-archive if an archive is damaged, no-source if it has no page
 */
export async function openArchives(inputs: readonly Input[], onReject?: (inputError: InputError) => void): Promise<OpenArchives> {
  for (const bag of new Set(inputs.map((input) => input.bag))) if (bag !== undefined) await checkBag(bag);
  const opened: Input[] = [];
  const reports: ArchiveReport[] = [];
  const closers: (() => void)[] = [];
  const close = () => {
    for (const one of closers) one();
  };
  try {
    for (const input of inputs) {
      const kind = input.size === undefined ? undefined : kindOf(input.name);
      let damages = 0;
      const onDamage: OnDamage | undefined =
        onReject &&
        ((failure) => {
          damages += 1;
          onReject(unreadableInput(failure));
        });
      const file = { name: input.name, size: input.size ?? 0, open: input.open };
      const wacz = kind === 'zip' ? await openWacz(file, onDamage) : undefined;
      if (wacz !== undefined) closers.push(wacz.close);
      const warcs = kind === 'warc' ? [file] : wacz?.warcs;
      if (warcs === undefined) {
        opened.push(input);
        continue;
      }
      const found = await readableIn(input.name, warcs, onDamage);
      if (found.report.pages === 0) throw withoutPages(found.report);
      reports.push({ ...found.report, damaged: damages });
      opened.push({ ...input, size: found.size, pages: () => pagesIn(warcs, found) });
    }
    return { inputs: opened, reports, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** A survey, and whether it skipped damaged parts. */
type FoundPages = Survey & { readonly isDamaged: boolean };

/** Surveys an archive. If it is damaged and damage is not an error, surveys its readable parts. */
async function readableIn(archive: string, warcs: readonly WarcFile[], onDamage: OnDamage | undefined): Promise<FoundPages> {
  try {
    return { ...(await survey(archive, warcs)), isDamaged: false };
  } catch (error) {
    if (onDamage === undefined || !isDamage(error)) throw error;
    const found = await survey(archive, warcs, onDamage);
    if (found.report.pages === 0) throw error;
    return { ...found, isDamaged: true };
  }
}

/** The second reading of a damaged archive finds the same damage. */
const REPORTED = () => {};

/** Yields the chosen pages in the order of the archive. */
async function* pagesIn(warcs: readonly WarcFile[], { chosen, isDamaged }: FoundPages): AsyncGenerator<Input> {
  for (const [file, warc] of warcs.entries()) {
    const numbers = chosen[file] ?? new Set();
    if (numbers.size === 0) continue;
    const isChosen = (_: unknown, number: number) => numbers.has(number);
    for await (const record of recordsOf(warc, isChosen, isDamaged ? REPORTED : undefined)) {
      if (record.block === undefined) continue;
      const body = bodyOf(warc.name, record);
      const open = async function* () {
        yield body;
      };
      yield { name: `${warc.name}: ${record.url}`, size: body.length, open };
    }
  }
}

/** Returns the kind of a web archive. Detects it by the first bytes, or by the name if these bytes are damaged. */
function kindOf(path: string): 'warc' | 'zip' | undefined {
  const head = headOf(path);
  if (head.subarray(0, 4).toString('latin1') === 'PK\x03\x04' || /\.wacz$/i.test(path)) return 'zip';
  return startsAsWarc(head) || /\.warc(\.gz)?$/i.test(path) ? 'warc' : undefined;
}

/** Returns nothing if the file cannot be read: a later read reports the error. */
function headOf(path: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const file = openSync(path, 'r');
    try {
      return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return head.subarray(0, 0);
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
