import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The texts that a reader sees, with `\n` for a line break. */
export interface Shown {
  /** The text that is not marked as removed. */
  readonly after: string;
  /** The text that is not marked as added. */
  readonly before: string;
}

/** Reads a change with an independent HTML parser. */
export function shown(html: string): Shown {
  const { childNodes } = parseFragment(html);
  return { after: textOf(childNodes, 'del'), before: textOf(childNodes, 'ins') };
}

/** The same for the block form, in which white space and a break are part of the form. */
export function shownInBlock(html: string): Shown {
  const nodes = parseFragment(html).childNodes;
  const inside = (name: string) =>
    textOf(
      nodes.filter((node) => node.nodeName === name),
      '',
    );
  return { after: inside('ins'), before: inside('del') };
}

/** Returns the URLs of the links in a change. */
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
