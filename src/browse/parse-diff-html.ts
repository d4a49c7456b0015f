import { allowedText, type ByteText, escapeText, type Markup, markup, trusted } from './markup.ts';

/** The markup of a change, made anew from a diff_html: no byte of it is markup that a stranger wrote. */
export interface DiffMarkup {
  /** Everything in reading order, with `<del>` and `<ins>`. */
  readonly inline: Markup;
  /** The text before, with `<del>`; and after, with `<ins>`. */
  readonly before: Markup;
  readonly after: Markup;
  /** What was removed and what was added, without the rest. */
  readonly removed: Markup;
  readonly added: Markup;
}

/**
 * Parses a diff_html by its fixed grammar and writes it anew.
 * @param html a diff_html as a byte text
 * @returns undefined if it is outside of the grammar
 */
export function diffMarkup(html: ByteText): DiffMarkup | undefined {
  let [inline, before, after, removed, added] = ['', '', '', '', ''];
  for (let at = 0; at < html.length; ) {
    const kind = kindAt(html, at);
    if (kind === undefined) {
      // text outside of elements, such as the line breaks around the block form
      const end = html.indexOf('<', at);
      const text = end === -1 ? html.slice(at) : html.slice(at, end);
      if (text.trim() !== '' || end === at) return undefined;
      at += text.length;
      continue;
    }
    const start = at + kind.open.length;
    const end = kind === BREAK ? start : html.indexOf(kind.close, start);
    if (end === -1) return undefined;
    at = end + kind.close.length;
    if (end === start) continue;
    const content = contentMarkup(html.slice(start, end), kind !== SPAN);
    if (content === undefined) return undefined;
    if (kind === SPAN) {
      inline += content;
      before += content;
      after += content;
    } else if (kind.isRemoved) {
      inline += `<del>${content}</del>`;
      before += `<del>${content}</del>`;
      removed += content;
    } else {
      inline += `<ins>${content}</ins>`;
      after += `<ins>${content}</ins>`;
      added += content;
    }
  }
  return { inline: trusted(inline), before: trusted(before), after: trusted(after), removed: trusted(removed), added: trusted(added) };
}

interface Kind {
  readonly open: string;
  readonly close: string;
  readonly isRemoved: boolean;
}

const SPAN: Kind = { open: '<span>', close: '</span>', isRemoved: false };
const DEL: Kind = { open: '<del style="background:#ffe6e6;">', close: '</del>', isRemoved: true };
const INS: Kind = { open: '<ins style="background:#e6ffe6;">', close: '</ins>', isRemoved: false };
const BARE_DEL: Kind = { open: '<del>', close: '</del>', isRemoved: true };
const BARE_INS: Kind = { open: '<ins>', close: '</ins>', isRemoved: false };
const BREAK: Kind = { open: '<br />', close: '', isRemoved: false };

function kindAt(html: ByteText, at: number): Kind | undefined {
  switch (html.charCodeAt(at + 1)) {
    case 0x73: // s
      return html.startsWith(SPAN.open, at) ? SPAN : undefined;
    case 0x64: // d
      return html.startsWith(DEL.open, at) ? DEL : html.startsWith(BARE_DEL.open, at) ? BARE_DEL : undefined;
    case 0x69: // i
      return html.startsWith(INS.open, at) ? INS : html.startsWith(BARE_INS.open, at) ? BARE_INS : undefined;
    default:
      return html.startsWith(BREAK.open, at) ? BREAK : undefined;
  }
}

/** Returns a link to another site. It is not followed by crawlers, and tells the other site nothing. */
export function outsideLink(url: ByteText, text: Markup): Markup {
  return markup`<a href="${escapeText(url)}" rel="noopener noreferrer nofollow">${text}</a>`;
}

/** A changed line break has a visible sign, which the style sheet adds. */
export const CHANGED_BREAK = '<i></i>\n';

/** Returns the markup of the content of an element: text, `<br>` and links. Returns undefined if it has anything else. */
function contentMarkup(html: ByteText, isChanged: boolean): Markup | undefined {
  let tag = html.indexOf('<');
  if (tag === -1) return textMarkup(html);
  let [content, at] = ['', 0];
  for (; tag !== -1; tag = html.indexOf('<', at)) {
    const text = textMarkup(html.slice(at, tag));
    if (text === undefined) return undefined;
    content += text;
    if (html.startsWith('<br>', tag)) {
      content += isChanged ? CHANGED_BREAK : '\n';
      at = tag + 4;
    } else {
      const end = html.indexOf('</a>', tag);
      const link = end === -1 ? undefined : linkMarkup(html.slice(tag, end));
      if (link === undefined) return undefined;
      content += link;
      at = end + 4;
    }
  }
  const rest = textMarkup(html.slice(at));
  return rest === undefined ? undefined : trusted(content + rest);
}

/** Matches a link without its end tag. */
const LINK = /^<a href=(?:"([^"<>]*)"|'([^'<>]*)')>([^<>]*)$/;

function linkMarkup(html: ByteText): Markup | undefined {
  const [whole, double, single, content = ''] = LINK.exec(html) ?? [];
  const [href, text] = [decoded(double ?? single ?? ''), textMarkup(content)];
  if (whole === undefined || href === undefined || text === undefined || !isWebUrl(href)) return undefined;
  return outsideLink(href, text);
}

/** Whether a URL is http or https, names no user, and has only visible characters. Browsers drop some of the others. */
export function isWebUrl(url: ByteText): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes control characters
  return /^https?:\/\/[^\u0000- \u007f/?#@\\]+(?:[/?#][^\u0000- \u007f]*)?$/i.test(url);
}

/** Returns the markup of escaped text, without forbidden characters. Returns undefined if it has other entities than the five of the grammar. */
function textMarkup(html: ByteText): Markup | undefined {
  if (html.includes('>')) return undefined;
  return html.includes('&') && STRAY.test(html) ? undefined : trusted(allowedText(html));
}

const STRAY = /&(?!(?:amp|lt|gt|quot|#39);)/;

function decoded(html: ByteText): ByteText | undefined {
  if (!html.includes('&')) return html;
  if (STRAY.test(html)) return undefined;
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
