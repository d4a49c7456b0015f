/** A part of a diff_html: an element at its top level, or what stands between two. */
export interface Part {
  /** The tag that opens it; "" for what stands in no element. */
  readonly open: string;
  /** What a reader sees of it, line breaks as `\n`. */
  readonly text: string;
  readonly links: readonly Link[];
}

export interface Link {
  readonly quote: string;
  readonly href: string;
  readonly text: string;
}

export const SPAN = '<span>';
export const DEL = '<del style="background:#ffe6e6;">';
export const INS = '<ins style="background:#e6ffe6;">';
export const BARE_DEL = '<del>';
export const BARE_INS = '<ins>';
/** The break between the two values of the block form. */
export const BREAK = '<br />';

/** The elements' ends; none of the break. */
const CLOSING: { readonly [open: string]: string } = {
  [SPAN]: '</span>',
  [DEL]: '</del>',
  [INS]: '</ins>',
  [BARE_DEL]: '</del>',
  [BARE_INS]: '</ins>',
};
const TAGS = [...Object.keys(CLOSING), BREAK];

/** What text in an element is broken by: a break, or a link around text. */
const MARK = /(<br>)|(<a [^<>]*>)([^<]*)<\/a>/;
const LINK = /^<a href=(?:"([^"\s]*)"|'([^'\s]*)')>$/;
const STRAY = /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/;
const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const NONE: readonly Link[] = [];

/**
 * A diff_html in parts, read without knowing how it was made. Undefined where it has anything else than
 * elements side by side with text, `<br>` and links in them, and entities that every writer of them knows.
 */
export function partsOf(html: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < html.length; ) {
    const open = TAGS.find((tag) => html.startsWith(tag, at)) ?? '';
    const close = CLOSING[open] ?? '';
    const start = at + open.length;
    // what stands in no element ends where the next begins; a break has nothing in it
    const found = open === BREAK ? start : html.indexOf(close || '<', start);
    if (found === -1 && close !== '') return undefined;
    const end = found === -1 ? html.length : found;
    const part = end === at ? undefined : partOf(open, html.slice(start, end));
    if (part === undefined) return undefined;
    parts.push(part);
    at = end + close.length;
  }
  return parts;
}

function partOf(open: string, html: string): Part | undefined {
  if (!html.includes('<')) {
    const text = decoded(html);
    return text === undefined ? undefined : { open, text, links: NONE };
  }
  const links: Link[] = [];
  let whole = '';
  // text, then a break or else a link and the text in it, over and over
  const pieces = html.split(MARK);
  for (let at = 0; at < pieces.length; at += 4) {
    const [text, inLink] = [decoded(pieces[at] ?? ''), decoded(pieces[at + 3] ?? '')];
    const link = pieces[at + 2] === undefined ? NO_LINK : linkOf(pieces[at + 2] ?? '', inLink ?? '');
    if (text === undefined || inLink === undefined || link === undefined) return undefined;
    whole += text + inLink + (pieces[at + 1] === undefined ? '' : '\n');
    if (link !== NO_LINK) links.push(link);
  }
  return { open, text: whole, links };
}

const NO_LINK: Link = { quote: '', href: '', text: '' };

function linkOf(tag: string, text: string): Link | undefined {
  const [, double, single] = LINK.exec(tag) ?? [];
  const href = decoded(double ?? single ?? '<');
  return href === undefined ? undefined : { quote: double === undefined ? "'" : '"', href, text };
}

/** Text with its entities decoded once; undefined where it has others, or a bracket. */
function decoded(text: string): string | undefined {
  if (!text.includes('&')) return text.includes('>') || text.includes('<') ? undefined : text;
  if (STRAY.test(text)) return undefined;
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}
