import { INVISIBLE } from '../contract/text/invisible.ts';
import { type ByteText, byteText, encodeFile, escapeText, type Markup, markup, plainText, trusted } from './byte-text.ts';
import { accountsPage, CHANGES_FEED, changesPage, HOME, ICON, SCRIPT, STYLE } from './paths.ts';

/** What is around the content of a page. */
export interface PageFrame {
  /** The title of the page, before the name of the program. */
  readonly title: ByteText;
  /** The relative path from the page to the root of the tree. */
  readonly root: Root;
  /** The entry of the navigation that the page belongs to. */
  readonly section?: Section | undefined;
  /** The path of the Atom feed with the content of the page; the feed of all changes if it is missing. */
  readonly feed?: Markup | undefined;
  /** Paths of neighboring pages. */
  readonly previous?: Markup | undefined;
  readonly next?: Markup | undefined;
  /** More elements for the head. */
  readonly head?: Markup | undefined;
}

export type Root = '' | typeof ROOT_2 | typeof ROOT_3;
export type Section = 'home' | 'changes' | 'months' | 'accounts';

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

/** Returns the bytes of a page. @param main the markup of its content */
export function pageBytes({ title, root, section, feed, previous, next, head }: PageFrame, main: Markup): Buffer {
  const pieces = piecesOf(root, section);
  const feedPath = feed ?? CHANGES_FEED;
  const alternate = markup`<link rel=alternate type=application/atom+xml href="${root}${feedPath}">\n`;
  const links = markup`${alternate}${link('prev', root, previous)}${link('next', root, next)}${head ?? ''}`;
  const foot = markup`</main>\n<footer><a href="${root}${feedPath}">Atom feed</a>${pieces.tail}`;
  // a title cannot isolate the direction of a handle
  const visible = byteText(plainText(title).replace(INVISIBLE, ''));
  return encodeFile(
    markup`${pieces.start}${escapeText(visible)}${pieces.afterTitle}${links}</head>\n<body data-root="${root}">${pieces.header}${main}${foot}`,
  );
}

function link(rel: 'prev' | 'next', root: Root, path: Markup | undefined): Markup | '' {
  return path === undefined ? '' : markup`<link rel=${rel} href="${root}${path}">\n`;
}

/** The pieces of a page that many pages have in common. */
interface Pieces {
  readonly start: Markup;
  readonly afterTitle: Markup;
  readonly header: Markup;
  readonly tail: Markup;
}

const PIECES = new Map<Section | undefined, Map<Root, Pieces>>();

function piecesOf(root: Root, section: Section | undefined): Pieces {
  const ofSection = PIECES.get(section) ?? new Map<Root, Pieces>();
  const pieces = ofSection.get(root) ?? newPieces(root, section);
  PIECES.set(section, ofSection.set(root, pieces));
  return pieces;
}

function newPieces(root: Root, section: Section | undefined): Pieces {
  const entry = (path: Markup, text: Markup, name: Section) =>
    markup`<a href="${root}${path}"${section === name ? ' aria-current=page' : ''}>${text}</a>`;
  return {
    start: markup`<!DOCTYPE html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="${POLICY}">
<title>`,
    afterTitle: markup` ${trusted(byteText('·'))} palimpsest</title>
<meta name=viewport content="width=device-width, initial-scale=1">
<link rel=stylesheet href="${root}${STYLE}">
<link rel=icon href="${root}${ICON}" type=image/svg+xml>
<script src="${root}${SCRIPT}" defer></script>
`,
    header: markup`
<a class=skip href="#main">Skip to content</a>
<header class=site>
<nav aria-label=Site>${entry(markup`${HOME}`, markup`Home`, 'home')}${entry(changesPage(1), markup`Changes`, 'changes')}${entry(markup`${HOME}#months`, markup`Months`, 'months')}${entry(accountsPage(1), markup`Accounts`, 'accounts')}</nav>
<div class=search data-search></div>
</header>
<main id=main>
`,
    tail: markup`<span>All times are UTC.</span></footer>
</body>
</html>
`,
  };
}
