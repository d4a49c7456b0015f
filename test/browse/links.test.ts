import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { elementsIn, textOf } from './parsed-html.ts';
import { BASE_URL, readerTree } from './reader-tree.ts';

/** A page as its links see it. */
interface Linked {
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
}

function linkedOf(html: string): Linked {
  const attributes = elementsIn(parse(html)).flatMap(({ attrs }) => attrs);
  const valuesOf = (...names: readonly string[]) => attributes.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  const ids = valuesOf('id');
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two elements with the id ${id}`);
  return { ids: new Set(ids), links: [...valuesOf('href', 'src'), ...twice] };
}

/** Returns the links of all pages and feeds of a tree that lead nowhere, and the number of all. */
function crawl(out: string): { readonly checked: number; readonly broken: string[]; readonly unlinked: string[] } {
  const paths = readdirSync(out, { recursive: true, encoding: 'utf8' });
  const pages = new Map(
    paths.filter((path) => path.endsWith('.html')).map((path) => [path, linkedOf(readFileSync(join(out, path), 'utf8'))]),
  );
  const files = new Set(paths);
  const [broken, reached]: [string[], Set<string>] = [[], new Set(['index.html'])];
  let checked = 0;
  const hasFragment = (target: string, fragment: string): boolean => {
    const page = pages.get(target);
    return page === undefined || fragment === '' || page.ids.has(fragment);
  };
  const check = (from: string, target: string, fragment: string) => {
    checked += 1;
    reached.add(target);
    const file = target.endsWith('/') ? `${target}index.json` : target;
    if (!files.has(file) || !hasFragment(target, decodeURIComponent(fragment))) broken.push(`${from} -> ${target}#${fragment}`);
  };
  for (const [from, { links }] of pages) {
    for (const link of links) {
      if (/^https?:/.test(link)) continue;
      const [path = '', fragment = ''] = link.split('#');
      // the page for pages that do not exist has absolute links
      const below = path.startsWith('/') ? posix.relative(new URL(BASE_URL).pathname, path) : posix.join(posix.dirname(from), path);
      check(from, path === '' ? from : below, fragment);
    }
  }
  for (const from of paths.filter((path) => path.endsWith('.atom'))) {
    for (const [, link = ''] of readFileSync(join(out, from), 'utf8').matchAll(/<link [^>]*?href="([^"]*)"/g)) {
      const { pathname, origin, hash } = new URL(link);
      const isOwn = link.startsWith(`${BASE_URL}/`) && !pathname.includes('/rest/');
      if (isOwn) check(from, (origin + pathname).slice(BASE_URL.length + 1) || 'index.html', hash.slice(1));
    }
  }
  const unlinked = [...pages.keys(), ...paths.filter((path) => path.endsWith('.atom'))].filter((path) => !reached.has(path));
  return { checked, broken, unlinked };
}

/** Returns the headings of a page that have a link or a button, and other text beside it. */
function mixedHeadings(html: string): readonly string[] {
  return elementsIn(parse(html))
    .filter(({ tagName }) => /^h[1-6]$/.test(tagName))
    .filter((heading) => elementsIn(heading).some((each) => /^(a|button)$/.test(each.tagName) && textOf(each) !== textOf(heading)))
    .map((heading) => textOf(heading));
}

it('links of browse files lead to files and fragments of the tree, and to each of its pages and feeds', async () => {
  const out = await readerTree(temporaryFolder());
  const { checked, broken, unlinked } = crawl(out);
  expect(checked).toBeGreaterThan(2500);
  expect([broken, unlinked]).toEqual([[], []]);
  // a screen reader reads a heading alone
  const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
  expect(pages.flatMap((path) => mixedHeadings(readFileSync(join(out, path), 'utf8')))).toEqual([]);
});
