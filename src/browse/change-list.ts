import type { ChangeRecord, DataType } from '../contract/record.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullTime } from './dates.ts';
import { type DiffMarkup, diffMarkup, isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';
import { number } from './numbers.ts';

/** The class of the changes of a field, and of its choice in the filter. */
const FIELD_CLASSES: { readonly [T in DataType]: string } = { Name: 'N', Bio: 'B', Location: 'L', Website: 'W', Verified: 'V' };

const ORDER: readonly DataType[] = ['Name', 'Bio', 'Location', 'Website', 'Verified'];

/**
 * Returns a filter by field for the changes on a page. It needs no script: the style sheet hides the other changes. An
 * element with the class `changes` must follow it.
 */
export function fieldFilter(records: readonly ChangeRecord[]): string {
  const counts = { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 };
  for (const { data_type } of records) counts[data_type] += 1;
  let choices = '';
  for (const type of ORDER) {
    const count = counts[type];
    if (count > 0)
      choices += `<input type=radio name=f id=f${FIELD_CLASSES[type]}><label for=f${FIELD_CLASSES[type]}>${type} <small>${number(count)}</small></label>`;
  }
  return `<fieldset class=filter><legend>Field</legend><input type=radio name=f id=fA checked><label for=fA>All <small>${number(records.length)}</small></label>${choices}</fieldset>
<div class=filters data-filters></div>
`;
}

/** Returns a record of the feed: who, which field, when, and the difference. @param href the link to the record */
export function feedChange(record: ChangeRecord, href: ByteText): ByteText {
  const { id, account, data_type, first_encountered_date: time } = record;
  return `<article id=r${id} class=${FIELD_CLASSES[data_type]}><p><time datetime=${time}>${time.slice(11, 19)}</time> <a href="${href}"><bdi>@${escapeText(account)}</bdi></a> <b>${data_type}</b>${snapshotLink(record)}</p><div dir=auto>${changeMarkup(record).inline}</div></article>
`;
}

/**
 * Returns a record of an account: which field, when, the text before and after. A first record has no text before, so it
 * has one `<div>`. So has a record whose diff_html does not tell the text before: its class is `unknown` too.
 * @param href the link to the record
 */
export function accountChange(record: ChangeRecord, href: ByteText): ByteText {
  const { id, data_type, previous, first_encountered_date: time } = record;
  const { before, after } = changeMarkup(record);
  const isUnknown = before === undefined && previous !== null;
  const old = before === undefined || (previous === null && before === '') ? '' : `<div dir=auto>${before}</div>`;
  const classes = isUnknown ? `"${FIELD_CLASSES[data_type]} unknown"` : FIELD_CLASSES[data_type];
  return `<article id=r${id} class=${classes}><h3>${data_type} <a href="${href}"><time datetime=${time}>${fullTime(time)}</time></a>${snapshotLink(record)}</h3>${old}<div dir=auto>${after}</div></article>
`;
}

function snapshotLink({ web_archive_url: url }: ChangeRecord): ByteText {
  return url === null || url === '' || !isWebUrl(url) ? '' : ` <a href="${escapeText(url)}" ${LINK_ATTRIBUTES}>Snapshot</a>`;
}

/** The difference of a record. `before` is undefined if its diff_html does not tell the text before. */
type ChangeMarkup = Omit<DiffMarkup, 'before'> & { readonly before: ByteText | undefined };

/** Returns the difference of a record. A diff_html outside of the grammar is shown as text, after the value itself. */
function changeMarkup({ diff_html, text, data_type }: ChangeRecord): ChangeMarkup {
  const markup = diff_html === '' ? undefined : diffMarkup(diff_html);
  if (markup !== undefined) return data_type === 'Verified' ? verifiedMarkup(markup) : markup;
  const answer = data_type === 'Verified' ? YES_OR_NO.get(text ?? '') : undefined;
  const value = text === null || text === '' ? '' : `<ins>${answer ?? escapeText(text)}</ins>`;
  const shown = diff_html === '' ? value : `${value}<code>${escapeText(diff_html)}</code>`;
  return { inline: shown, before: undefined, after: shown };
}

/** Returns the difference of a Verified record with the words of the profile. Markup with other values stays as it is. */
function verifiedMarkup(markup: DiffMarkup): DiffMarkup {
  const [old, current] = [plainOf(markup.before), plainOf(markup.after)];
  const answer = YES_OR_NO.get(current);
  const oldAnswer = old === '' ? '' : YES_OR_NO.get(old);
  if (answer === undefined || oldAnswer === undefined) return markup;
  if (old === current) return { inline: answer, before: answer, after: answer };
  const [before, after] = [oldAnswer === '' ? '' : `<del>${oldAnswer}</del>`, `<ins>${answer}</ins>`];
  return { inline: before + after, before, after };
}

const YES_OR_NO: ReadonlyMap<string, string> = new Map([
  ['true', 'Yes'],
  ['false', 'No'],
]);

function plainOf(markup: ByteText): ByteText {
  return markup.replace(/<[^>]*>/g, '');
}
