import { timestampOf } from '../../contract/instant.ts';
import type { StoredAccounts } from '../../store/accounts/stored-accounts.ts';
import { dateMarkup } from '../dates.ts';
import { type ByteText, byteText, escapeText, joined, markup } from '../markup.ts';
import { type Page, pageOf, ROOT_3, type UnframedFile } from '../page-frame.ts';
import { accountPage, folderOf } from '../paths.ts';
import { accountParts, hasPage, isOnePart } from './account-parts.ts';
import type { FormerHolderText } from './browse-account.ts';

/** The former handles whose pages are in one folder. */
export class FormerHandles {
  readonly #holders = new Map<ByteText, FormerHolderText[]>();

  /** @param rows of the accounts that had a handle of the folder */
  constructor(accounts: StoredAccounts, rows: readonly number[], folder: number) {
    for (const { handle, screen_name, seen_to, ...size } of accounts.formerNames(rows)) {
      const text = byteText(handle);
      // these accounts can have former handles in other folders too
      if (folderOf(text) !== folder) continue;
      const time = timestampOf(seen_to);
      const parts = isOnePart(size) ? 1 : accountParts(accounts.sizesUntil(screen_name, `${time.slice(0, 19)}Z`)).length;
      const holder = { screen_name: byteText(screen_name), seen_to: time, parts };
      const known = this.#holders.get(text);
      if (known === undefined) this.#holders.set(text, [holder]);
      else if (known.every((other) => other.screen_name !== holder.screen_name)) known.push(holder);
    }
  }

  /** Returns the accounts that had a handle before, except the one that has it today. The last one comes first. */
  holdersOf(handle: ByteText): readonly FormerHolderText[] {
    return this.#holders.get(handle)?.filter(({ screen_name }) => screen_name !== handle) ?? NONE;
  }

  /** Whether an account had a handle before. */
  has(handle: ByteText): boolean {
    return this.#holders.has(handle);
  }

  /** Returns the handles, sorted. */
  handles(): Iterable<ByteText> {
    return this.#holders.keys();
  }
}

const NONE: readonly FormerHolderText[] = [];

/**
 * Yields the files that lead from the addresses under a former handle to the accounts that had it.
 * @param presentParts the number of parts of the account that has the handle today; 0 if there is none
 */
export function* formerHandleFiles(handle: ByteText, holders: readonly FormerHolderText[], presentParts: number): Generator<UnframedFile> {
  if (presentParts === 0) yield { path: accountPage(handle), render: () => [leadingPage(handle, holders, 0)] };
  const last = Math.max(0, ...holders.map(({ parts }) => parts));
  for (let part = 1; part <= last; part += 1) {
    const had = hasPage(part, presentParts) ? NONE : holders.filter(({ parts }) => hasPage(part, parts));
    if (had.length > 0) yield { path: accountPage(handle, part), render: () => [leadingPage(handle, had, part)] };
  }
}

/** A redirect without a script would drop the fragment, and nobody would see that. */
const NO_SCRIPT = markup`<p>To find a record without JavaScript, add the end of this address, such as #r123, to the address of the page of the account.</p>\n`;

/**
 * Returns the page of a handle that no account has today, or of a part under a former handle, because its records had their
 * addresses there. It leads to the account that had the handle: the script goes there. If several had it, the reader chooses.
 * @param part the number of the part; 0 for the main page
 */
function leadingPage(handle: ByteText, holders: readonly FormerHolderText[], part: number): Page {
  const reason =
    part === 0
      ? 'In this history, no account has exactly this handle now.'
      : 'These changes are now on the page of an account with another handle.';
  const linkTo = (screenName: ByteText) => markup`${ROOT_3}${accountPage(screenName, part)}`;
  const lines = holders.map(
    ({ screen_name, seen_to }) =>
      markup`<li><a href="${linkTo(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a> was last seen with it on ${dateMarkup(seen_to)}\n`,
  );
  const [holder] = holders;
  const canonical = holder && linkTo(holder.screen_name);
  return pageOf(
    { title: `@${handle}, a former handle`, root: ROOT_3, canonical },
    markup`<h1><bdi>@${escapeText(handle)}</bdi></h1>\n<p>${reason}</p>\n<ul class=holders>\n${joined(lines)}</ul>\n${NO_SCRIPT}`,
  );
}
