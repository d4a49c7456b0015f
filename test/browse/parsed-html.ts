import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** Returns the elements below a node, in order. */
export function elementsIn(node: Node): DefaultTreeAdapterTypes.Element[] {
  return [...('tagName' in node ? [node] : []), ...('childNodes' in node ? node.childNodes.flatMap(elementsIn) : [])];
}

/** Returns the elements below a node in order, each with the names of its attributes: `a[href,rel]`. */
export function elementsOf(node: Node): string[] {
  return elementsIn(node).map(({ tagName, attrs }) =>
    attrs.length === 0 ? tagName : `${tagName}[${attrs.map(({ name }) => name).join()}]`,
  );
}

/** Returns the text below a node, with `\n` for a line break. @param without the name of elements that are left out */
export function textOf(node: Node, without = ''): string {
  if ('value' in node) return node.value;
  if (node.nodeName === 'br') return '\n';
  if ('tagName' in node && node.tagName === without) return '';
  return 'childNodes' in node ? node.childNodes.map((child) => textOf(child, without)).join('') : '';
}

/** Returns the elements with a name below a node. */
export function elementsNamed(node: Node, name: string): DefaultTreeAdapterTypes.Element[] {
  return elementsIn(node).filter(({ tagName }) => tagName === name);
}

/** Returns what a page shows for a text. */
export function readable(text: string): string {
  return withoutControls(text).replace(/\r\n?/g, '\n');
}

/** Returns a text without surrogates that have no partner, and with a sign for control characters. */
export function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd');
}

/** Everything that a page may contain. What a stranger wrote is never more than text, `del`, `ins`, `i` and safe links. */
const ALLOWED =
  /^(html\[lang\]|head|meta\[(charset|http-equiv,content|(name|property),content)\]|title|link\[(rel,href|rel,href,type|rel,type,href)\]|script\[src,defer\]|body\[data-root\]|a\[(class,href|href|href,aria-current|href,rel|href,title|href,title,aria-current|id,href|id,href,title|href,data-holder)\]|header(\[class\])?|nav\[(aria-label|class,aria-label)\]|div(\[(class|dir|class,data-search|class,data-filters|data-day|class,tabindex,role,aria-label)\])?|main\[id\]|footer|h1|h2(\[id\])?|h3|h4|p(\[(class|class,aria-hidden)\])?|span(\[(class|lang|aria-current)\])?|b|code|bdi(\[class\])?|small(\[class\])?|i|del|ins|q|ul(\[class\])?|ol|li(\[value\])?|dl(\[(class|data-before)\])?|dt|dd(\[(dir|class,dir|data-last-known|data-seen-lately)\])?|time\[datetime\]|article\[(id,)?class\]|fieldset\[class\]|legend|input\[type,name,id(,checked)?\]|label\[for\]|table\[class\]|colgroup|col(\[(class,)?span\])?|thead|tbody|tr|th\[scope(,class|,rowspan)?\]|td(\[(class|dir|colspan(,class)?)\])?|abbr\[title\]|svg\[class,viewBox,role,aria-label\]|text\[x,y\]|path\[d\]|g|rect\[x,y,width,height\]|section(\[class\])?)$/;

/** Returns what a page has that no page may have, and the parse errors that a person could not have meant. */
export function foreignMarkup(html: string): string[] {
  const errors: string[] = [];
  const page = parse(html, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
  const links = ['a', 'link', 'script'].flatMap((name) => elementsNamed(page, name)).flatMap(({ attrs }) => attrs);
  return [
    ...errors.filter((error) => !/^(control|non)-?character/.test(error)),
    ...new Set(elementsOf(page).filter((element) => !ALLOWED.test(element))),
    ...links.flatMap(({ name, value }) => (/^(href|src)$/.test(name) && !/^(https?:\/\/|[\w./~-]*(#\w*)?$)/i.test(value) ? [value] : [])),
  ];
}
