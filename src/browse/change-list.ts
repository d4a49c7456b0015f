import { timestampOf } from '../contract/instant.ts';
import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { AddressOf, RecordFacts } from './accounts/record-lookup.ts';
import type { Rename } from './accounts/renames.ts';
import { clockTime, fullTime, timeMarkup } from './dates.ts';
import { changedPart, changedSchemes, changedWords, extendedPart, replaced, unchanged } from './highlight-changes.ts';
import { invisibleCharacters } from './invisible/invisible-characters.ts';
import { invisibleContents, invisibleDifference } from './invisible/invisible-difference.ts';
import { type ByteText, byteText, escapeText, joined, type Markup, markup, orEmpty, plainText, textOfMarkup, trusted } from './markup.ts';
import type { ROOT_2 } from './page-frame.ts';
import { type DiffMarkup, diffMarkup, isWebUrl, outsideLink } from './parse-diff-html.ts';
import { renameAddress } from './paths.ts';

/** The records of one account and one second: a source showed them together. */
export type Entry = readonly [ChangeRecord, ...ChangeRecord[]];

/** Groups records into entries, each at the place of its newest record. Those of other accounts can be between its records. */
export function entriesOf(records: readonly ChangeRecord[]): readonly Entry[] {
  const entries = new Map<string, [ChangeRecord, ...ChangeRecord[]]>();
  for (const record of records) {
    const key = `${secondOf(record)} ${record.account}`;
    const entry = entries.get(key);
    if (entry === undefined) entries.set(key, [record]);
    else entry.push(record);
  }
  return [...entries.values()];
}

/** Groups the records of an account. First values of one day that follow each other are one entry too. */
export function accountEntriesOf(records: readonly ChangeRecord[]): readonly Entry[] {
  const areFirstValues = (entry: Entry, record: ChangeRecord) =>
    isFirst(record) && dayOf(entry[0]) === dayOf(record) && entry.every(isFirst);
  const entries: [ChangeRecord, ...ChangeRecord[]][] = [];
  for (const record of records) {
    const entry = entries.at(-1);
    if (entry !== undefined && (secondOf(entry[0]) === secondOf(record) || areFirstValues(entry, record))) entry.push(record);
    else entries.push([record]);
  }
  return entries;
}

function secondOf({ first_encountered_date }: ChangeRecord): string {
  return first_encountered_date.slice(0, 19);
}

/** Returns the day of a record, such as `2024-03-05`. */
export function dayOf({ first_encountered_date }: ChangeRecord): string {
  return first_encountered_date.slice(0, 10);
}

/** Whether a record is the first value of its field: what the account said when it was first seen, and not a change. */
function isFirst({ previous }: ChangeRecord): boolean {
  return previous === null;
}

const FIRST_SEEN = markup`<p>First seen</p>`;

/**
 * Returns an entry of the feed: when and who, and each field with its difference. Its heading is the link to the entry on the page of
 * the account: a link beside the heading would repeat the handle.
 */
export function feedEntry(entry: Entry, root: '' | typeof ROOT_2, { addressOf, textOf, handleAt }: RecordFacts): Markup {
  const [{ account, first_encountered_date: time }] = entry;
  const handle = handleAt(entry[0]);
  const present = handle === account ? '' : markup` now <bdi>@${escapeText(account)}</bdi>`;
  const areFirst = entry.every(isFirst);
  const records = entry.map((record) => {
    const { inline, note } = changeMarkup(record, textOf);
    const label = markup`${isFirst(record) && !areFirst ? FIRST_SEEN : ''}${noteMarkup(note)}`;
    return markup`${articleStart(record)}<header><h4>${record.data_type}</h4>${snapshotLink(record)}</header>${label}<div dir=auto>${orEmpty(inline)}</div></article>\n`;
  });
  return markup`<section class=entry><h3><a href="${root}${addressOf(entry[0])}">${timeMarkup(time, clockTime(time))} <bdi>@${escapeText(handle)}</bdi>${present}${areFirst ? ' First seen' : ''}</a></h3>
${joined(records)}</section>
`;
}

/**
 * Returns an entry of an account: when, or between which two observations, and for each record its field, the text before and after. A
 * first value has no text before.
 * @param hrefOf returns the link to a record
 * @param observedBefore the time of the latest observation before a change, by record
 */
export function accountEntry(
  entry: Entry,
  hrefOf: AddressOf,
  { textOf, handleAt }: RecordFacts,
  observedBefore: ReadonlyMap<number, string>,
): Markup {
  const { account, first_encountered_date: time } = entry.at(-1) ?? entry[0];
  const handle = handleAt(entry[0]);
  const former = handle === account ? '' : markup` as <bdi>@${escapeText(handle)}</bdi>`;
  const areFirst = entry.every(isFirst);
  const shared = changeInterval(
    entry.filter((record) => !isFirst(record)),
    observedBefore,
  );
  const isHeading = shared !== '' && !entry.some(isFirst);
  const records = entry.map((record) => {
    const { before, after, note } = changeMarkup(record, textOf);
    const label = areFirst ? '' : FIRST_SEEN;
    const old = isFirst(record) ? label : before === undefined ? markup`<p>Unknown</p>` : markup`<div dir=auto>${orEmpty(before)}</div>`;
    return markup`${articleStart(record)}<header><h4>${record.data_type}</h4>${permalink(hrefOf(record))}${snapshotLink(record)}</header>${noteMarkup(note)}${shared === '' ? noteMarkup(changeInterval([record], observedBefore)) : ''}${old}<div dir=auto>${orEmpty(after)}</div></article>\n`;
  });
  return markup`<section class=entry><h3>${areFirst ? 'First seen on ' : ''}${isHeading ? shared : timeMarkup(time, fullTime(time))}${former}</h3>
${isHeading ? '' : noteMarkup(shared)}${joined(records)}</section>
`;
}

/** Returns an entry of the feed for a rename, with a link to its entry on the page of the account. */
export function feedRenameEntry(rename: Rename, root: '' | typeof ROOT_2): Markup {
  const { old, current } = handlesOf(rename);
  const heading = markup`<a href="${root}${renameAddress(rename)}">${timeOf(rename)} <bdi>@${escapeText(rename.account)}</bdi></a>`;
  return renameEntry(heading, markup`<article class=H><header><h4>Handle</h4></header><div dir=auto>${old} ${current}</div></article>`);
}

/**
 * Returns an entry of an account for a rename.
 * @param by when it was done at the latest; undefined if that is not known
 * @param href the link to it
 */
export function accountRenameEntry(rename: Rename, by: string | undefined, href: Markup): Markup {
  const { old, current } = handlesOf(rename);
  const identity = noteMarkup(rename.hasStableId ? HAS_STABLE_ID : HAS_NO_ID);
  const head = markup`<article id=${rename.id} class=H><header><h4>Handle</h4>${permalink(href)}</header>`;
  const time = markup`${timeOf(rename)}${by === undefined ? '' : markup` and by ${timeMarkup(by, fullTime(by))}`}`;
  return renameEntry(time, markup`${head}${identity}<div dir=auto>${old}</div><div dir=auto>${current}</div></article>`);
}

/** What is known about the identity of an account with two handles. The id can be newer than the rename. */
const HAS_STABLE_ID = markup`The same account: the service gives it an id, which a rename does not change`;
const HAS_NO_ID = markup`Only the source says that this is the same account. This history has no id of the account`;

function handlesOf({ before, after }: Rename): { readonly old: Markup; readonly current: Markup } {
  return { old: markup`<del>@${escapeText(before)}</del>`, current: markup`<ins>@${escapeText(after)}</ins>` };
}

function timeOf({ seen_to }: Rename): Markup {
  const time = timestampOf(seen_to);
  return markup`Renamed after ${timeMarkup(time, fullTime(time))}`;
}

function renameEntry(heading: Markup, article: Markup): Markup {
  return markup`<section class=entry><h3>${heading}</h3>
${article}
</section>
`;
}

/** Says between which two observations fields changed. Returns '' if that is not known, or not the same for all changes. */
function changeInterval(changes: readonly ChangeRecord[], observedBefore: ReadonlyMap<number, string>): Markup | '' {
  const [first] = changes;
  const from = first && observedBefore.get(first.id);
  if (first === undefined || from === undefined) return '';
  const to = first.first_encountered_date;
  if (!changes.every((change) => change.first_encountered_date === to && observedBefore.get(change.id) === from)) return '';
  return markup`Changed between ${timeMarkup(from, fullTime(from))} and ${timeMarkup(to, fullTime(to))}`;
}

function noteMarkup(note: Markup | ''): Markup | '' {
  return note === '' ? note : markup`<p class=note>${note}</p>`;
}

function articleStart(record: ChangeRecord): Markup {
  const field = PROFILE_FIELDS[record.data_type].htmlClass;
  return isFirst(record) ? markup`<article id=r${record.id} class="${field} F">` : markup`<article id=r${record.id} class=${field}>`;
}

function permalink(href: Markup): Markup {
  return markup` <a href="${href}">Permalink</a>`;
}

function snapshotLink({ web_archive_url: url }: ChangeRecord): Markup | '' {
  return url === null || !isWebUrl(url) ? '' : markup` ${outsideLink(url, markup`Snapshot`)}`;
}

/** The difference of a record. `before` is undefined if neither its diff_html nor the store has the text before. */
interface ChangeMarkup extends Pick<DiffMarkup, 'inline' | 'after'> {
  readonly before: Markup | undefined;
  /** What changed, in words. */
  readonly note: Markup | '';
}

/** Returns the difference of a record. If its diff_html is outside of the grammar, the texts in the store are shown. */
function changeMarkup(record: ChangeRecord, textOf: RecordFacts['textOf']): ChangeMarkup {
  const diff = differenceOf(record, textOf);
  if (diff === undefined) {
    const { inline, after } = replaced(markup``, valueMarkup(record.text, record.data_type));
    return { inline, before: undefined, after, note: '' };
  }
  const { difference } = PROFILE_FIELDS[record.data_type];
  if (isFirst(record)) {
    // nobody added a first value
    const value = trusted(diff.after.replace(/<\/?ins>/g, ''));
    return { inline: value, before: undefined, after: value, note: escapeText(byteText(invisibleContents(value).join(', '))) };
  }
  const shown = difference === 'link' || difference === 'block' ? changedPart(diff) : changedSchemes(changedWords(extendedPart(diff)));
  const seen = invisibleDifference(shown);
  const invisible = seen.length === 0 && shown.note === undefined && haveSameText(diff) ? carriageReturns(record, textOf) : seen;
  const what = invisible.length === 0 ? (shown.note ?? '') : escapeText(byteText(invisible.join(', ')));
  const note = joined([what, what === '' || shown.limit === undefined ? '' : markup`; `, shown.limit ?? '']);
  return { inline: shown.inline, before: shown.before, after: shown.after, note };
}

function haveSameText({ before, after }: DiffMarkup): boolean {
  return textOfMarkup(before) === textOfMarkup(after);
}

/** Names the carriage returns by which two texts differ: diff_html has the same line breaks for both. */
function carriageReturns({ previous, text }: ChangeRecord, textOf: RecordFacts['textOf']): readonly string[] {
  const old = previous === null ? undefined : textOf(previous);
  if (typeof old !== 'string' || text === null) return [];
  const [before, after] = [plainText(old), plainText(text)];
  return invisibleCharacters({ removed: before, added: after, before, after, isAtEnd: false });
}

/** Returns undefined if nothing has the text before. */
function differenceOf(record: ChangeRecord, textOf: RecordFacts['textOf']): DiffMarkup | undefined {
  const { diff_html, data_type, previous } = record;
  const diff = diff_html === '' ? undefined : diffMarkup(diff_html);
  if (diff !== undefined) return PROFILE_FIELDS[data_type].difference === 'boolean' ? booleanMarkup(diff) : diff;
  const after = valueMarkup(record.text, data_type);
  const old = previous === null ? '' : textOf(previous);
  if (old === undefined) return undefined;
  const before = valueMarkup(old, data_type);
  return before === after ? unchanged(after) : replaced(before, after);
}

/** Returns the text of a field as a profile shows it. */
export function valueMarkup(text: ByteText | null, data_type: ChangeRecord['data_type']): Markup {
  return (PROFILE_FIELDS[data_type].difference === 'boolean' ? YES_OR_NO.get(text ?? '') : undefined) ?? escapeText(text ?? '');
}

/** Returns the difference of two booleans with the words of the profile. Markup with other values stays as it is. */
function booleanMarkup(diff: DiffMarkup): DiffMarkup {
  const [old, current] = [textOfMarkup(diff.before), textOfMarkup(diff.after)];
  const answer = YES_OR_NO.get(current);
  const oldAnswer = old === '' ? markup`` : YES_OR_NO.get(old);
  if (answer === undefined || oldAnswer === undefined) return diff;
  return old === current ? unchanged(answer) : replaced(oldAnswer, answer);
}

const YES_OR_NO: ReadonlyMap<string, Markup> = new Map([
  ['true', markup`Yes`],
  ['false', markup`No`],
]);
