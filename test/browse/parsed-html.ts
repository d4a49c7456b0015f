import type { DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** Returns the elements below a node in order, each with the names of its attributes: `a[href,rel]`. */
export function elementsOf(node: Node): string[] {
  const own =
    'tagName' in node ? [node.attrs.length === 0 ? node.tagName : `${node.tagName}[${node.attrs.map(({ name }) => name).join()}]`] : [];
  return [...own, ...('childNodes' in node ? node.childNodes.flatMap(elementsOf) : [])];
}

/** Returns the text below a node. @param without the name of elements that are left out */
export function textOf(node: Node, without = ''): string {
  if ('value' in node) return node.value;
  if ('tagName' in node && node.tagName === without) return '';
  return 'childNodes' in node ? node.childNodes.map((child) => textOf(child, without)).join('') : '';
}

/** Returns the elements with a name below a node. */
export function elementsNamed(node: Node, name: string): DefaultTreeAdapterTypes.Element[] {
  const own = 'tagName' in node && node.tagName === name ? [node] : [];
  return [...own, ...('childNodes' in node ? node.childNodes.flatMap((child) => elementsNamed(child, name)) : [])];
}

/** Returns what a page shows for a text: without surrogates that have no partner, and with a sign for control characters. */
export function readable(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g;
