import { plural } from '../../contract/amounts.ts';
import { Failure } from '../../contract/failure.ts';
import type { IncompleteMirror } from '../../contract/files/incomplete-mirror.ts';
import { IDENTITIES } from '../../warc/account-identities.ts';
import { inOnePiece } from '../../warc/salvage.ts';
import { isDamage, type OnDamage } from '../../warc/warc-damage.ts';
import { unreadableInput } from '../rejects/rejection.ts';
import type { Input, InputError } from '../source.ts';
import { type ArchiveReport, type CaptureSelection, isIdentity, selectCaptures } from './capture-selection.ts';
import { bodyOf } from './captured-page.ts';
import { openWacz } from './read-wacz.ts';
import { recordsOf, type WarcFile } from './warc-file.ts';

/** A web archive whose pages can be imported. */
export interface OpenArchive {
  /** The input, with the pages of the archive. */
  readonly input: Input;
  readonly report: ArchiveReport;
  /** What the archive says that it lacks. */
  readonly incomplete: readonly IncompleteMirror[];
  /** The base URL of its pages, if they have only one. */
  readonly baseUrl: string | undefined;
  readonly close: () => void;
}

/**
 * Opens a web archive, checks all its bytes and chooses the pages to import.
 * @param onReject called for each damaged part, so that the other pages are imported; without it, damage is an error
 * @returns undefined for a ZIP file that is not a WACZ
 * @throws Failure bad-archive if the archive is damaged, no-source if it has no page
 */
export async function openArchive(
  input: Input,
  kind: 'warc' | 'zip',
  onReject: ((inputError: InputError) => void) | undefined,
): Promise<OpenArchive | undefined> {
  let damaged = 0;
  const onDamage: OnDamage | undefined =
    onReject &&
    ((failure) => {
      damaged += 1;
      onReject(unreadableInput(failure));
    });
  const file = { name: input.name, size: input.size ?? 0, open: input.open };
  const wacz = kind === 'zip' ? await openWacz(file, onDamage) : undefined;
  const warcs = kind === 'warc' ? [file] : wacz?.warcs;
  if (warcs === undefined) return undefined;
  const close = wacz?.close ?? (() => {});
  try {
    const found = await readableIn(input.name, warcs, onDamage);
    if (found.report.pages === 0) throw withoutPages(found.report);
    const pages = () => pagesIn(warcs, found);
    return {
      input: { ...input, size: found.size, pages },
      report: { ...found.report, damaged_parts: damaged },
      incomplete: found.incomplete,
      baseUrl: found.baseUrl,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** A selection, and what to do about damage when its archive is read again. */
type FoundPages = CaptureSelection & { readonly onDamage: OnDamage | undefined };

/** Ignores damage: the second reading of a damaged archive finds the same damage, which is already reported. */
const IGNORE_DAMAGE = () => {};

/** Selects the captures of an archive. If it is damaged and damage is not an error, selects those of its readable parts. */
async function readableIn(archive: string, warcs: readonly WarcFile[], onDamage: OnDamage | undefined): Promise<FoundPages> {
  try {
    return { ...(await selectCaptures(archive, warcs)), onDamage: undefined };
  } catch (error) {
    if (onDamage === undefined || !isDamage(error)) throw error;
    const found = await selectCaptures(archive, warcs, onDamage);
    if (found.report.pages === 0) throw error;
    return { ...found, onDamage: IGNORE_DAMAGE };
  }
}

/** Yields the identities, and then the chosen pages in the order of the archive. */
async function* pagesIn(warcs: readonly WarcFile[], { chosen, identities, onDamage }: FoundPages): AsyncGenerator<Input> {
  for (const [file, warc] of warcs.entries()) {
    const count = identities[file] ?? 0;
    const open = () => identitiesIn(warc, count, onDamage);
    if (count > 0) yield { name: `${warc.name}: ${IDENTITIES.uri}`, size: undefined, open };
  }
  for (const [file, warc] of warcs.entries()) {
    const numbers = chosen[file] ?? new Set();
    if (numbers.size === 0) continue;
    const isChosen = (_: unknown, number: number) => numbers.has(number);
    for await (const record of recordsOf(warc, isChosen, onDamage)) {
      if (record.block === undefined) continue;
      const body = bodyOf(warc.name, record);
      yield { name: `${warc.name}: ${record.url}`, size: body.length, open: () => inOnePiece(body) };
    }
  }
}

/** Yields the blocks of the records with identities. They are usually the first ones, so most of the WARC is not read. */
async function* identitiesIn(warc: WarcFile, count: number, onDamage: OnDamage | undefined): AsyncGenerator<Uint8Array> {
  let found = 0;
  for await (const { block } of recordsOf(warc, isIdentity, onDamage)) {
    if (block === undefined) continue;
    yield block;
    found += 1;
    if (found === count) return;
  }
}

function withoutPages({ archive, failed, other, missing }: ArchiveReport): Failure {
  const [first] = missing.listed;
  const found =
    first === undefined
      ? `${plural(other, 'capture')} at other addresses`
      : `${plural(failed, 'failed capture')}, such as ${first.url}: ${first.reason}`;
  return new Failure('no-source', `${archive} has no page of the API`, {
    place: { file: archive },
    expected: 'responses with status 200 at …/rest/data/ or …/rest/account/',
    found,
    hint: 'check that you named the right archive',
  });
}
