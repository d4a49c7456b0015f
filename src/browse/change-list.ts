import { countsByField, FIELDS_IN_ORDER, PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { type ByteText, escapeText, joined, type Markup, markup, numberMarkup } from './byte-text.ts';
import { clockTime, fullTime, timeMarkup } from './dates.ts';
import { type DiffMarkup, diffMarkup, isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';

/**
 * Returns a filter by field for the changes on a page. It needs no script: the style sheet hides the other changes. An
 * element with the class `changes` must follow it.
 */
export function fieldFilter(records: readonly ChangeRecord[]): Markup {
  const counts = countsByField();
  for (const { data_type } of records) counts[data_type] += 1;
  const choices = FIELDS_IN_ORDER.filter((type) => counts[type] > 0).map((type) => {
    const field = PROFILE_FIELDS[type].htmlClass;
    return markup`<input type=radio name=f id=f${field}><label for=f${field}>${type} <small>${numberMarkup(counts[type])}</small></label>`;
  });
  return markup`<fieldset class=filter><legend>Field</legend><input type=radio name=f id=fA checked><label for=fA>All <small>${numberMarkup(records.length)}</small></label>${joined(choices)}</fieldset>
<div class=filters data-filters></div>
`;
}

/** Returns a record of the feed: who, which field, when, and the difference. @param href the link to the record */
export function feedChange(record: ChangeRecord, href: Markup): Markup {
  const { id, account, data_type, first_encountered_date: time } = record;
  return markup`<article id=r${id} class=${PROFILE_FIELDS[data_type].htmlClass}><p>${timeMarkup(time, clockTime(time))} <a href="${href}"><bdi>@${escapeText(account)}</bdi></a> <b>${data_type}</b>${snapshotLink(record)}</p><div dir=auto>${changeMarkup(record).inline}</div></article>
`;
}

/**
 * Returns a record of an account: which field, when, the text before and after. A first record has no text before, so it
 * has one `<div>`. So has a record whose diff_html does not tell the text before: its class is `unknown` too.
 * @param href the link to the record
 */
export function accountChange(record: ChangeRecord, href: Markup): Markup {
  const { id, data_type, previous, first_encountered_date: time } = record;
  const { before, after } = changeMarkup(record);
  const isUnknown = before === undefined && previous !== null;
  const old = before === undefined || (previous === null && before === '') ? '' : markup`<div dir=auto>${before}</div>`;
  const classes = isUnknown ? markup`"${PROFILE_FIELDS[data_type].htmlClass} unknown"` : PROFILE_FIELDS[data_type].htmlClass;
  return markup`<article id=r${id} class=${classes}><h3>${data_type} <a href="${href}">${timeMarkup(time, fullTime(time))}</a>${snapshotLink(record)}</h3>${old}<div dir=auto>${after}</div></article>
`;
}

function snapshotLink({ web_archive_url: url }: ChangeRecord): Markup | '' {
  return url === null || url === '' || !isWebUrl(url) ? '' : markup` <a href="${escapeText(url)}" ${LINK_ATTRIBUTES}>Snapshot</a>`;
}

/** The difference of a record. `before` is undefined if its diff_html does not tell the text before. */
type ChangeMarkup = Omit<DiffMarkup, 'before'> & { readonly before: Markup | undefined };

/** Returns the difference of a record. A diff_html outside of the grammar is shown as text, after the value itself. */
function changeMarkup({ diff_html, text, data_type }: ChangeRecord): ChangeMarkup {
  const diff = diff_html === '' ? undefined : diffMarkup(diff_html);
  if (diff !== undefined) return data_type === 'Verified' ? verifiedMarkup(diff) : diff;
  const answer = data_type === 'Verified' ? YES_OR_NO.get(text ?? '') : undefined;
  const value = text === null || text === '' ? markup`` : markup`<ins>${answer ?? escapeText(text)}</ins>`;
  const shown = diff_html === '' ? value : markup`${value}<code>${escapeText(diff_html)}</code>`;
  return { inline: shown, before: undefined, after: shown };
}

/** Returns the difference of a Verified record with the words of the profile. Markup with other values stays as it is. */
function verifiedMarkup(diff: DiffMarkup): DiffMarkup {
  const [old, current] = [plainOf(diff.before), plainOf(diff.after)];
  const answer = YES_OR_NO.get(current);
  const oldAnswer = old === '' ? markup`` : YES_OR_NO.get(old);
  if (answer === undefined || oldAnswer === undefined) return diff;
  if (old === current) return { inline: answer, before: answer, after: answer };
  const [before, after] = [oldAnswer === '' ? oldAnswer : markup`<del>${oldAnswer}</del>`, markup`<ins>${answer}</ins>`];
  return { inline: markup`${before}${after}`, before, after };
}

const YES_OR_NO: ReadonlyMap<string, Markup> = new Map([
  ['true', markup`Yes`],
  ['false', markup`No`],
]);

function plainOf(diff: Markup): ByteText {
  return diff.replace(/<[^>]*>/g, '');
}
