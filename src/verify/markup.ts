const TOKEN = /<(?:(\/?)(span|ins|del|a|br)((?:\s[^<>]*)?)|[^>]*)>?/g;

const OPENING: { readonly [tag: string]: RegExp } = {
  span: /^$/,
  del: /^( style="background:#ffe6e6;")?$/,
  ins: /^( style="background:#e6ffe6;")?$/,
  a: /^ href=("https?:\/\/[^"<>\s]*"|'https?:\/\/[^'<>\s]*')$/,
  br: /^( \/)?$/,
};

/**
 * What is wrong with a record's diff_html: a tag or attribute that is not on the list, a link to
 * something else than http and https, a tag that is not closed. Undefined where nothing is.
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
      if (open.pop() !== tag) return `${whole} where no ${tag} is open`;
    } else if (tag !== 'br') {
      open.push(tag);
    }
  }
  return open.length === 0 ? undefined : `${open.at(-1)} that is not closed`;
}
