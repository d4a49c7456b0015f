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
