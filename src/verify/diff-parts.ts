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

const CLOSING: { readonly [open: string]: string } = {
  [SPAN]: '</span>',
  [DEL]: '</del>',
  [INS]: '</ins>',
  [BARE_DEL]: '</del>',
  [BARE_INS]: '</ins>',
};
const TOKEN = /<[^>]*>?|[^<]+/g;
const LINK = /^<a href=(?:"([^"<>\s]*)"|'([^'<>\s]*)')>$/;
const STRAY = />|&(?!(?:amp|lt|gt|quot|#39);)/;
const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/**
 * A diff_html in parts, read without knowing how it was made. Undefined where it has anything else than
 * elements side by side with text, `<br>` and links in them, and entities that every writer of them knows.
 */
export function partsOf(html: string): Part[] | undefined {
  const parts: Part[] = [];
  let [open, text] = ['', ''];
  let links: Link[] = [];
  let link: { quote: string; href: string; start: number } | undefined;
  const end = () => {
    if (open !== '' || text !== '') parts.push({ open, text, links });
    [open, text, links] = ['', '', []];
  };
  for (const [token] of html.matchAll(TOKEN)) {
    if (!token.startsWith('<')) {
      if (STRAY.test(token)) return undefined;
      text += decoded(token);
    } else if (link !== undefined) {
      if (token !== '</a>') return undefined;
      links.push({ quote: link.quote, href: link.href, text: text.slice(link.start) });
      link = undefined;
    } else if (open === '') {
      end();
      if (token === BREAK) parts.push({ open: BREAK, text: '', links: [] });
      else if (CLOSING[token] === undefined) return undefined;
      else open = token;
    } else if (token === CLOSING[open]) {
      end();
    } else if (token === '<br>') {
      text += '\n';
    } else {
      const [, double, single] = LINK.exec(token) ?? [];
      const href = double ?? single;
      if (href === undefined || STRAY.test(href)) return undefined;
      link = { quote: double === undefined ? "'" : '"', href: decoded(href), start: text.length };
    }
  }
  if (link !== undefined || open !== '') return undefined;
  end();
  return parts;
}

function decoded(text: string): string {
  return text.includes('&') ? text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '') : text;
}
