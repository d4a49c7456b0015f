import { parseFragment } from 'parse5';
import { elementsNamed, textOf } from '../browse/parsed-html.ts';

/** The texts that a reader sees, with `\n` for a line break. */
export interface Shown {
  /** The text that is not marked as removed. */
  readonly after: string;
  /** The text that is not marked as added. */
  readonly before: string;
}

/** Reads a change with an independent HTML parser. */
export function shown(html: string): Shown {
  const change = parseFragment(html);
  return { after: textOf(change, 'del'), before: textOf(change, 'ins') };
}

/** The same for the block form, in which white space and a break are part of the form. */
export function shownInBlock(html: string): Shown {
  const change = parseFragment(html);
  const inside = (name: string) =>
    elementsNamed(change, name)
      .map((element) => textOf(element))
      .join('');
  return { after: inside('ins'), before: inside('del') };
}

/** Returns the URLs of the links in a change. */
export function linksIn(html: string): string[] {
  return elementsNamed(parseFragment(html), 'a').flatMap(({ attrs }) => attrs.map(({ value }) => value));
}
