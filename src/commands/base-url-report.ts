import { isLoopback } from '../contract/site.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ChosenBaseUrl } from '../tree/build/last-build.ts';

/** What the summary of a build says about a base URL that was not given. */
export const BASE_URL_REMARKS: { readonly [F in ChosenBaseUrl['from']]: string } = {
  option: '',
  tree: ', as in the previous build',
  default: ', the default; to publish, set --base-url',
};

/** Warns if the base URL of a published tree changed. */
export function warnOfBaseUrl(terminal: Terminal, { url, before }: ChosenBaseUrl): void {
  if (before === null || before === url || isLoopback(before)) return;
  terminal.warn(`the base URL of the tree changed from ${before} to ${url}: all links in the pages are new`);
}
