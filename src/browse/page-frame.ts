import { type ByteText, encode, escapeText } from './byte-text.ts';
import { accountsPage, CHANGES_FEED, changesPage, HOME, ICON, SCRIPT, STYLE } from './paths.ts';

/** What is around the content of a page. */
export interface PageFrame {
  /** The title of the page, before the name of the site. */
  readonly title: ByteText;
  /** The relative path from the page to the root of the tree: `../../` for a page two folders deep. */
  readonly root: string;
  /** The entry of the navigation that the page belongs to. */
  readonly section?: Section | undefined;
  /** The path of the Atom feed with the content of the page; the feed of all changes if it is missing. */
  readonly feed?: ByteText | undefined;
  /** Paths of neighboring pages. */
  readonly previous?: ByteText | undefined;
  readonly next?: ByteText | undefined;
  /** More elements for the head. */
  readonly head?: ByteText | undefined;
}

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
export function pageBytes(frame: PageFrame, main: ByteText): Buffer {
  return encode(pageHead(frame) + main + pageTail(frame));
}

function pageHead({ title, root, section, feed = CHANGES_FEED, previous, next, head = '' }: PageFrame): ByteText {
  const link = (rel: string, path: string | undefined) => (path === undefined ? '' : `<link rel=${rel} href="${root}${path}">\n`);
  return `<!DOCTYPE html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="${POLICY}">
<title>${escapeText(title)} · palimpsest</title>
<meta name=viewport content="width=device-width, initial-scale=1">
<meta name=color-scheme content="light dark">
<meta name=referrer content=no-referrer>
<link rel=stylesheet href="${root}${STYLE}">
<link rel=icon href="${root}${ICON}" type=image/svg+xml>
<link rel=alternate type=application/atom+xml href="${root}${feed}">
${link('prev', previous)}${link('next', next)}${head}<script src="${root}${SCRIPT}" defer></script>
</head>
<body data-root="${root}">
<a class=skip href="#main">Skip to content</a>
<header class=site>
<nav aria-label=Site>${entry(root, HOME, 'Home', section === 'home')}${entry(root, changesPage(1), 'Changes', section === 'changes')}${entry(root, `${HOME}#months`, 'Months', section === 'months')}${entry(root, accountsPage(1), 'Accounts', section === 'accounts')}</nav>
<div id=search></div>
</header>
<main id=main>
`.replaceAll('·', DOT);
}

/** A middle dot in UTF-8, as a byte text. */
const DOT = '\u00c2\u00b7';

function entry(root: string, path: string, text: string, isCurrent: boolean): string {
  return `<a href="${root}${path}"${isCurrent ? ' aria-current=page' : ''}>${text}</a>`;
}

function pageTail({ root, feed = CHANGES_FEED }: PageFrame): ByteText {
  return `</main>
<footer><a href="${root}${feed}">Atom feed</a> <span>All times are in UTC.</span></footer>
</body>
</html>
`;
}
