import type { ChangeRecord } from '../contract/record.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullTime } from './dates.ts';
import { type DiffMarkup, diffMarkup, isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';
import { FIELD_CLASSES } from './field-filter.ts';
import { accountPage } from './paths.ts';

/** Returns a record of the feed: who, which field, when, and the difference. @param root the path to the root of the tree */
export function feedChange(record: ChangeRecord, root: string): ByteText {
  const { id, account, data_type, first_encountered_date: time } = record;
  const href = `${root}${accountPage(account)}#r${id}`;
  return `<article id=r${id} class=${FIELD_CLASSES[data_type]}><p><time datetime=${time}>${time.slice(11, 19)}</time> <a href="${href}"><bdi>@${escapeText(account)}</bdi></a> <b>${data_type}</b>${snapshotLink(record)}</p><div dir=auto>${changeMarkup(record).inline}</div></article>
`;
}

/**
 * Returns a record of an account: which field, when, the text before and after. A first record has no text before, so it
 * has one `<div>`.
 */
export function accountChange(record: ChangeRecord): ByteText {
  const { id, data_type, previous, first_encountered_date: time } = record;
  const { before, after } = changeMarkup(record);
  const old = previous === null && before === '' ? '' : `<div dir=auto>${before}</div>`;
  return `<article id=r${id} class=${FIELD_CLASSES[data_type]}><h3>${data_type} <a href=#r${id}><time datetime=${time}>${fullTime(time)}</time></a>${snapshotLink(record)}</h3>${old}<div dir=auto>${after}</div></article>
`;
}

function snapshotLink({ web_archive_url: url }: ChangeRecord): ByteText {
  return url === null || url === '' || !isWebUrl(url) ? '' : ` <a href="${escapeText(url)}" ${LINK_ATTRIBUTES}>Snapshot</a>`;
}

/** Returns the difference of a record. A diff_html outside of the grammar is shown as text, after the value itself. */
function changeMarkup({ diff_html, text }: ChangeRecord): DiffMarkup {
  const markup = diff_html === '' ? undefined : diffMarkup(diff_html);
  if (markup !== undefined) return markup;
  const value = text === null || text === '' ? '' : `<ins>${escapeText(text)}</ins>`;
  const shown = diff_html === '' ? value : `${value}<code>${escapeText(diff_html)}</code>`;
  return { inline: shown, before: '', after: shown };
}
