import type { Account } from '../../contract/account.ts';
import { type Instant, parseInstant, timestampOf } from '../../contract/instant.ts';
import { FIELDS_IN_ORDER, PROFILE_FIELDS } from '../../contract/profile-fields.ts';
import type { DataType } from '../../contract/record.ts';
import { SEEN_LATELY } from '../../store/accounts/last-seen.ts';
import { dateMarkup } from '../dates.ts';
import { contentsNote } from '../invisible/invisible-difference.ts';
import { type ByteText, escapeText, joined, type Markup, markup, orEmpty, trusted } from '../markup.ts';
import { ROOT_3 } from '../page-frame.ts';
import { isWebUrl, outsideLink } from '../parse-diff-html.ts';
import { ABOUT, accountPage } from '../paths.ts';
import type { BrowseAccount } from './browse-account.ts';

/** Returns the current profile of an account as a list of terms. A row names the fields that no source showed. */
export function profileMarkup({ account, formerHandles, lastSeen }: BrowseAccount): Markup | '' {
  const { account_creation_date: created, profile_image_url: image } = account;
  const rows: Markup[] = [];
  const unknown: DataType[] = [];
  const add = (term: Markup, definitions: Markup) => rows.push(markup`<div><dt>${term}${definitions}</div>\n`);
  for (const type of FIELDS_IN_ORDER) {
    const field = fieldMarkup(account, type);
    if (field === undefined) unknown.push(type);
    else if (field !== '') add(markup`${type}`, field);
  }
  if (account.data.length > 0 && unknown.length > 0)
    add(markup`Not known`, markup`<dd>No source showed a value of ${trusted(unknown.join(', '))}.`);
  if (created !== null) add(markup`Created`, markup`<dd>${dateMarkup(created)}`);
  if (image !== '') add(markup`Picture`, markup`<dd>${linked(image)}`);
  const newest = newestTime(account);
  if (newest !== undefined) add(markup`Newest record`, markup`<dd>${dateMarkup(newest)}. Today the profile can differ or be gone.`);
  if (lastSeen === SEEN_LATELY) add(markup`Last known`, SEEN_LATELY_MARKUP);
  else if (lastSeen !== null && !hasRecordAfter(account, lastSeen)) add(markup`Last known on`, lastKnownMarkup(lastSeen));
  if (formerHandles.length > 0) add(markup`Former handles`, markup`<dd>${trusted(formerHandles.map(formerHandle).join('; '))}`);
  return rows.length === 0 ? '' : markup`<dl>\n${joined(rows)}</dl>\n`;
}

/** Returns the current value of a field; undefined if nothing is known of it. */
function fieldMarkup(account: Account, type: DataType): Markup | '' | undefined {
  const { difference, keyInSummary } = PROFILE_FIELDS[type];
  const newest = account.data.find(({ data_type }) => data_type === type);
  const value = keyInSummary === undefined ? (newest?.text ?? '') : (account[keyInSummary] ?? '');
  const note = contentsNote(value);
  if (value === '' && newest === undefined) return undefined;
  // the heading of the page has the name
  if (value === '' ? (newest?.text ?? '') !== '' : type === 'Name' && note === '') return '';
  switch (difference) {
    case 'text':
      return markup`<dd class=text dir=auto>${orEmpty(escapeText(value))}${note}`;
    case 'block':
      return markup`<dd dir=auto>${orEmpty(escapeText(value))}${note}`;
    case 'link':
      return markup`<dd dir=auto>${orEmpty(linked(value))}${note}`;
    case 'boolean':
      return markup`<dd>${value === 'true' ? 'Yes' : 'No'}`;
  }
}

/** Returns the latest time of the records; undefined: there is none. Ids of several sources are not in the order of time. */
function newestTime({ data }: Account): string | undefined {
  return data.reduce<string | undefined>(
    (newest, { first_encountered_date: time }) => (newest !== undefined && newest.slice(0, 10) >= time.slice(0, 10) ? newest : time),
    undefined,
  );
}

/** Whether another source showed the account later. Ids of several sources are not in the order of time. */
export function hasRecordAfter({ data }: Pick<Account, 'data'>, instant: Instant): boolean {
  return data.some(({ first_encountered_date }) => (parseInstant(first_encountered_date) ?? 0) > instant);
}

/** Does not say on which day, because then the page would change each night. The script adds the dates, and the linked page has that of the newest snapshot. */
const SEEN_LATELY_MARKUP = markup`<dd data-seen-lately>At most 10 days before <a href="${ROOT_3}${ABOUT}#complete">the newest snapshot</a> in this history.`;

/** Does not say that the account is gone, or that the snapshot had each field: a source can lack an account that is still there, or a field. */
function lastKnownMarkup(instant: Instant): Markup {
  const time = timestampOf(instant);
  return markup`<dd data-last-known>${dateMarkup(time)}, the day of the newest snapshot of this account. That snapshot can lack fields. No later snapshot in this history has this account.`;
}

function linked(url: ByteText): Markup {
  const text = escapeText(url);
  return isWebUrl(url) ? outsideLink(url, text) : text;
}

function formerHandle({ handle, seen_to, holder }: BrowseAccount['formerHandles'][number]): Markup {
  const present = holder === undefined ? '' : markup` (now the handle of <a href="${ROOT_3}${accountPage(holder)}">another account</a>)`;
  return markup`<bdi>@${escapeText(handle)}</bdi>, last seen on ${dateMarkup(seen_to)}${present}`;
}
