import { byteText, escapeText, markup } from '../markup.ts';
import { type Page, pageOf } from '../page-frame.ts';
import { accountsPage, HOME, namesPage } from '../paths.ts';

/**
 * Returns the page that hosts send in place of a page that does not exist. It is shown at any address, so its links begin with
 * the path of the base URL.
 */
export function notFoundPage(baseUrl: string): Page {
  const root = escapeText(byteText(`${new URL(baseUrl).pathname.replace(/^\/+/, '/').replace(/\/$/, '')}/`));
  return pageOf(
    { title: 'Page not found', root },
    markup`<h1>Page not found</h1>
<p>There is no page at this address. An account may have been renamed or removed. A month without records and renames has no page: the home page says whether it has a snapshot.</p>
<p>Go to <a href="${root}${HOME}">the home page</a>, to <a href="${root}${HOME}#months">the months</a> or to all accounts by <a href="${root}${accountsPage()}">handle</a> or by <a href="${root}${namesPage()}">name</a>.</p>
`,
  );
}
