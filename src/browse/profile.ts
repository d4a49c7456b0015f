import type { BrowseAccount } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { isWebUrl, LINK_ATTRIBUTES } from './diff-segments.ts';
import { ROOT_3 } from './page-frame.ts';
import { accountPage } from './paths.ts';

/** Returns the current profile of an account as a list of terms. A field that is empty or unknown is left out. */
export function profileMarkup({ account, verified, formerHandles, formerHolders }: BrowseAccount): ByteText {
  const { bio, location, website, account_creation_date: created, profile_image_url: image } = account;
  let rows = '';
  if (bio !== '') rows += entry('Bio', `<dd class=text dir=auto>${escapeText(bio)}`);
  if (location !== '') rows += entry('Location', `<dd dir=auto>${escapeText(location)}`);
  if (website !== null && website !== '') rows += entry('Website', `<dd dir=auto>${linked(website)}`);
  if (verified !== null) rows += entry('Verified', `<dd>${verified ? 'Yes' : 'No'}`);
  if (created !== null) rows += entry('Created', `<dd>${timeMarkup(created, fullDate(created))}`);
  if (image !== '') rows += entry('Picture', `<dd>${linked(image)}`);
  if (formerHandles.length > 0) rows += entry('Former handles', formerHandles.map(formerHandle).join(''));
  if (formerHolders.length > 0) rows += entry('Handle before', formerHolders.map(formerHolder).join(''));
  return rows === '' ? '' : `<dl>\n${rows}</dl>\n`;
}

function entry(term: string, definitions: ByteText): ByteText {
  return `<div><dt>${term}${definitions}</div>\n`;
}

function linked(url: ByteText): ByteText {
  const text = escapeText(url);
  return isWebUrl(url) ? `<a href="${text}" ${LINK_ATTRIBUTES}>${text}</a>` : text;
}

function formerHandle({ handle, seen_to }: BrowseAccount['formerHandles'][number]): ByteText {
  return `<dd><bdi>@${escapeText(handle)}</bdi> until ${timeMarkup(seen_to, fullDate(seen_to))}`;
}

function formerHolder({ screen_name, seen_to }: BrowseAccount['formerHolders'][number]): ByteText {
  const link = `<a href="${ROOT_3}${accountPage(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a>`;
  return `<dd>${link} had this handle until ${timeMarkup(seen_to, fullDate(seen_to))}`;
}
