import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** What a reader sees of a change: the texts, with `\n` where a line breaks. */
export interface Shown {
  /** What is not marked as removed. */
  readonly after: string;
  /** What is not marked as added. */
  readonly before: string;
}

/** A change as an HTML parser that knows nothing of palimpsest reads it. */
export function shown(html: string): Shown {
  const { childNodes } = parseFragment(html);
  return { after: textOf(childNodes, 'del'), before: textOf(childNodes, 'ins') };
}

/** The same for the block form, where white space and a break are a part of the form. */
export function shownInBlock(html: string): Shown {
  const nodes = parseFragment(html).childNodes;
  const inside = (name: string) =>
    textOf(
      nodes.filter((node) => node.nodeName === name),
      '',
    );
  return { after: inside('ins'), before: inside('del') };
}

/** Where the links of a change lead. */
export function linksIn(html: string): string[] {
  const links: string[] = [];
  const visit = (nodes: readonly Node[]) => {
    for (const node of nodes) {
      if (!('tagName' in node)) continue;
      if (node.tagName === 'a') links.push(...node.attrs.map((attribute) => attribute.value));
      visit(node.childNodes);
    }
  };
  visit(parseFragment(html).childNodes);
  return links;
}

function textOf(nodes: readonly Node[], without: string): string {
  return nodes
    .map((node) => {
      if (node.nodeName === '#text' && 'value' in node) return node.value;
      if (node.nodeName === 'br') return '\n';
      return 'childNodes' in node && node.nodeName !== without ? textOf(node.childNodes, without) : '';
    })
    .join('');
}
