import { INVISIBLE } from '../contract/accounts/handle.ts';
import { isLoopback } from '../contract/base-url.ts';
import type { Site } from '../contract/site.ts';
import type { About } from '../contract/site-json.ts';
import { type ByteText, byteText, encodeFile, escapeText, joined, type Markup, markup, plainText, trusted } from './markup.ts';
import type { BrowseFile } from './parts.ts';
import { ABOUT, accountsPage, CHANGES_FEED, HOME, ICON, NEWEST_CHANGES, SCRIPT, STYLE } from './paths.ts';
import { contactLink, siteText, siteTitle, sourceLink } from './site/publisher.ts';

/** What is around the content of a page. */
export interface PageFrame {
  /** The title of the page, before the name of the program. */
  readonly title: ByteText;
  /** The path from the page to the root of the tree. */
  readonly root: Root;
  /** The entry of the navigation that the page belongs to. */
  readonly section?: Section | undefined;
  /** Paths of neighboring pages. */
  readonly previous?: Markup | undefined;
  readonly next?: Markup | undefined;
  /** The path of a feed with only what the page shows. */
  readonly feed?: Markup | undefined;
  /** The page that search engines should list in place of this one; this page if it is missing. */
  readonly canonical?: Markup | undefined;
}

/** A relative path, or an absolute one in a page that is shown at any address. */
export type Root = '' | typeof ROOT_1 | typeof ROOT_2 | typeof ROOT_3 | Markup;
export type Section = 'home' | 'changes' | 'months' | 'accounts' | 'account' | 'about';

/** The path from a page in `browse/` to the root of the tree. */
export const ROOT_1 = '../';
/** The path from a page in `browse/changes/`, `browse/accounts/` or `browse/months/` to the root of the tree. */
export const ROOT_2 = '../../';
/** The path from a page in a folder of `browse/account/` to the root of the tree. */
export const ROOT_3 = '../../../';

/**
 * The policy allows only the files of the tree. `file:` is for folders on a disk, where `'self'` matches nothing in some
 * browsers. No page on the web can load a `file:` URL.
 */
const POLICY =
  "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'";

/** A page without its frame. */
export interface Page extends PageFrame {
  /** The markup of its content. */
  readonly main: Markup;
}

/** Returns a page. @param main the markup of its content */
export function pageOf(frame: PageFrame, main: Markup): Page {
  return { ...frame, main };
}

/** A file of the HTML pages. A page has no frame yet. */
export interface UnframedFile extends Pick<BrowseFile, 'path'> {
  readonly render: (() => readonly (Uint8Array | Page)[]) | undefined;
}

/** Adds the frame of a site to pages. It keeps the pieces that many pages have in common. */
export class PageFrames {
  readonly #site: Site;
  readonly #pieces = new Map<string, Pieces>();

  constructor(site: Site) {
    this.#site = site;
  }

  framed({ path, render }: UnframedFile): BrowseFile {
    return { path, render: render && (() => render().map((part) => ('main' in part ? this.bytesOf(part, path) : part))) };
  }

  /** Returns the bytes of a page. @param path its path in the tree */
  bytesOf(page: Page, path: string): Buffer {
    const { title, root, section, previous, next, feed, canonical, main } = page;
    const pieces = this.#piecesOf(root, section);
    const alternate = (path: Markup | undefined) =>
      path === undefined ? '' : markup`<link rel=alternate type=application/atom+xml href="${root}${path}">\n`;
    // feed readers take the first one
    const links = markup`${alternate(feed)}${alternate(trusted(CHANGES_FEED))}${link('prev', previous, root)}${link('next', next, root)}${link('canonical', canonical)}`;
    const own = feed === undefined ? '' : markup`<a href="${root}${feed}">Atom feed of this account</a>`;
    const foot = markup`</main>\n<footer>${own}<a href="${root}${CHANGES_FEED}">Atom feed${own === '' ? '' : ' of all accounts'}</a>${pieces.tail}`;
    // a title cannot isolate the direction of a handle
    const visible = escapeText(byteText(plainText(title).replace(INVISIBLE, '')));
    const about = siteMetadata(this.#site, visible, canonical === undefined && !root.startsWith('/') ? path : undefined);
    return encodeFile(
      markup`${pieces.start}${visible}${pieces.afterTitle}${links}${about}</head>\n<body data-root="${root}">${pieces.header}${main}${foot}`,
    );
  }

  #piecesOf(root: Root, section: Section | undefined): Pieces {
    const key = `${root} ${section}`;
    const pieces = this.#pieces.get(key) ?? newPieces(root, section, this.#site);
    this.#pieces.set(key, pieces);
    return pieces;
  }
}

function link(rel: 'prev' | 'next' | 'canonical', path: Markup | undefined, root: Root = ''): Markup | '' {
  return path === undefined ? '' : markup`<link rel=${rel} href="${root}${path}">\n`;
}

/**
 * Returns what the head of a page says about the site, for search engines and for previews of links.
 * @param path that of the page; undefined if another page is canonical
 */
function siteMetadata({ about, base_url }: Site, title: Markup, path: string | undefined): Markup | '' {
  if (about === undefined) return '';
  const property = (name: string, content: string | undefined) =>
    content === undefined ? '' : markup`<meta property="og:${trusted(name)}" content="${escapeText(byteText(content))}">\n`;
  const { description, image } = about;
  const url = path === undefined || isLoopback(base_url) ? undefined : `${base_url}/${path === HOME ? '' : path}`;
  const lines: (Markup | '')[] = [
    description === undefined ? '' : markup`<meta name=description content="${escapeText(byteText(description))}">\n`,
    link('canonical', url === undefined ? undefined : escapeText(byteText(url))),
    property('site_name', about.title),
    markup`<meta property="og:type" content="website">\n<meta property="og:title" content="${title}">\n`,
    property('description', description),
    property('url', url),
    property('image', image),
  ];
  return joined(lines);
}

/** The pieces of a page that many pages have in common. */
interface Pieces {
  readonly start: Markup;
  readonly afterTitle: Markup;
  readonly header: Markup;
  readonly tail: Markup;
}

function newPieces(root: Root, section: Section | undefined, site: Site): Pieces {
  const { about, noindex } = site;
  const entry = (path: Markup, text: Markup, name: Section) =>
    markup`<a href="${root}${path}"${section === name ? ' aria-current=page' : ''}>${text}</a>`;
  const name = about === undefined ? markup`palimpsest` : escapeText(byteText(about.title));
  return {
    start: markup`<!DOCTYPE html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="${POLICY}">
<title>`,
    afterTitle: markup` ${trusted(byteText('·'))} ${name}</title>
<meta name=viewport content="width=device-width, initial-scale=1">
${noindex === undefined ? '' : markup`<meta name=robots content=noindex>\n`}<link rel=stylesheet href="${root}${STYLE}">
<link rel=icon href="${root}${ICON}" type=image/svg+xml>
<script src="${root}${SCRIPT}" defer></script>
`,
    header: markup`
<a class=skip href="#main">Skip to content</a>
<header class=site>
<nav aria-label=Site>${entry(markup`${HOME}`, siteTitle(site), 'home')}${entry(markup`${NEWEST_CHANGES}`, markup`Changes`, 'changes')}${entry(markup`${HOME}#months`, markup`Months`, 'months')}${entry(accountsPage(), markup`Accounts`, 'accounts')}</nav>
<div class=search data-search></div>
</header>
<main id=main>
${section === 'account' ? accountNotice(root, about) : ''}`,
    tail: markup`<a href="${root}${ABOUT}"${section === 'about' ? ' aria-current=page' : ''}>About this history</a>${about === undefined ? '' : signature(about)}<span>${section === 'account' ? '' : TIMES}All times are UTC.</span></footer>
</body>
</html>
`,
  };
}

const TIMES = markup`The time of a record says when a source first showed the value, not when it was changed. `;

/** Returns what an account page is, and where to ask for a correction. */
function accountNotice(root: Root, about: About | undefined): Markup {
  const publisher = about === undefined ? '' : markup`, recorded by ${siteText(about, about.publisher)}`;
  const source = about?.source === undefined ? '' : markup` from ${sourceLink(about, about.source)}`;
  const removal = markup`<a href="${root}${ABOUT}#removal">Correction or removal</a>`;
  return markup`<p class=notice>Copies of a public profile${publisher}${source}. This page does not belong to the account. ${TIMES}${removal}</p>\n`;
}

/** Returns who publishes the site. */
function signature(about: About): Markup {
  const { publisher, contact, license, license_url } = about;
  const contactPart = contact === undefined ? '' : markup`<span>Contact: ${contactLink(contact)}</span>`;
  const licensePart = license === undefined ? '' : markup`<span>License: ${siteText(about, license, license_url)}</span>`;
  return markup`<span>Published by ${siteText(about, publisher)}</span>${contactPart}${licensePart}`;
}
