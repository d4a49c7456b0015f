import type { IncompleteMirror } from './files/incomplete-mirror.ts';
import type { About } from './site-json.ts';
import type { DaySpan } from './snapshots/snapshot-days.ts';

/** The settings of a site that only the HTML pages and archives need. */
export interface BrowseSettings {
  /** What the site says about itself; undefined if nothing is known. */
  readonly about?: About | undefined;
  /** Whether the HTML pages ask search engines not to list them. */
  readonly noindex?: true | undefined;
  /** Whether each account has an Atom feed. */
  readonly account_feeds?: true | undefined;
}

/** The number of items on a page of a new tree. */
export const PAGE_SIZE = 100;

/** The Cache-Control header of pages: their content changes under the same URL, so every client must revalidate. */
export const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** The settings of the published site. These and the contents of the store determine all its bytes. */
export interface Site extends BrowseSettings {
  /** Absolute, without a trailing slash. The collections are at `{base_url}/rest/…`. */
  readonly base_url: string;
  /** The number of change records on a page of `/rest/data/`. */
  readonly page_size: number;
  /** The number of accounts on a page of `/rest/account/`. */
  readonly account_page_size: number;
  /** The release of palimpsest that builds the site; undefined without HTML pages. Only these show it. */
  readonly palimpsest?: string | undefined;
  /** What mirrors lack of their services; undefined if they are complete. Only the HTML pages show it. */
  readonly incomplete?: readonly IncompleteMirror[] | undefined;
  /** The days on which snapshots were observed; undefined if none is known, or without HTML pages. Only these show it. */
  readonly snapshot_days?: readonly DaySpan[] | undefined;
}
