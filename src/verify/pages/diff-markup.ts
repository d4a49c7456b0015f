const TOKEN = /<(?:(\/?)(span|ins|del|a|br)((?:\s[^<>]*)?)|[^>]*)>?/g;

/** The start of a link. URLs ignore the letter case of the scheme, but tags and attributes are in lower case only. */
const WEB = '[Hh][Tt][Tt][Pp][Ss]?://';

const OPENING: { readonly [tag: string]: RegExp } = {
  span: /^$/,
  del: /^( style="background:#ffe6e6;")?$/,
  ins: /^( style="background:#e6ffe6;")?$/,
  a: new RegExp(`^ href=("${WEB}[^"<>\\s]*"|'${WEB}[^'<>\\s]*')$`),
  br: /^( \/)?$/,
};

/**
 * Returns what is wrong with the markup of a diff_html; undefined if it is valid. Errors are an unknown tag or
 * attribute, a link that is neither http nor https, and a tag that is not closed.
 */
export function markupError(html: string): string | undefined {
  if (!html.includes('<')) return undefined;
  const open: string[] = [];
  for (const match of html.matchAll(TOKEN)) {
    const [whole, slash, tag, attributes = ''] = match;
    const isKnown =
      tag !== undefined && whole.endsWith('>') && (slash === '/' ? attributes === '' && tag !== 'br' : OPENING[tag]?.test(attributes));
    if (!isKnown) return `the tag ${whole}`;
    if (slash === '/') {
      if (open.pop() !== tag) return `${whole}, but no ${tag} is open`;
    } else if (tag !== 'br') {
      open.push(tag);
    }
  }
  return open.length === 0 ? undefined : `${open.at(-1)} that is not closed`;
}

/** A part of a diff_html: an element at the top level, or the text between two elements. */
export interface Part {
  /** The opening tag; "" for text outside of elements. */
  readonly open: string;
  /** The visible text, with line breaks as `\n`. */
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
/** The tag between the two values of the block form. */
export const BREAK = '<br />';

/** The closing tags of the elements. BREAK has no closing tag. */
const CLOSING: { readonly [open: string]: string } = {
  [SPAN]: '</span>',
  [DEL]: '</del>',
  [INS]: '</ins>',
  [BARE_DEL]: '</del>',
  [BARE_INS]: '</ins>',
};
const TAGS = [...Object.keys(CLOSING), BREAK];

/** The markup inside an element: a line break, or a link around text. */
const MARK = /(<br>)|(<a [^<>]*>)([^<]*)<\/a>/;
const LINK = /^<a href=(?:"([^"\s]*)"|'([^'\s]*)')>$/;
const STRAY = /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/;
const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const NONE: readonly Link[] = [];

/**
 * Splits a diff_html into parts, independently of the code that rendered it.
 * @returns undefined if it has anything other than elements in a row that contain text, `<br>` and links, with the five
 *   common entities
 */
export function partsOf(html: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < html.length; ) {
    const open = TAGS.find((tag) => html.startsWith(tag, at)) ?? '';
    const close = CLOSING[open] ?? '';
    const start = at + open.length;
    // text outside of elements ends at the next tag; BREAK is empty
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
  // the pieces repeat in fours: text, a line break, a link, the text of the link; break or link is undefined
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

/** Decodes the entities of a text once. Returns undefined if it has other entities or a bracket. */
function decoded(text: string): string | undefined {
  if (!text.includes('&')) return text.includes('>') || text.includes('<') ? undefined : text;
  if (STRAY.test(text)) return undefined;
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}
