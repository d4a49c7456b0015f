import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { BASE_URL, readerTree } from './reader-tree.ts';

/** Real saved pages, on machines that have them. */
const SAVED_PAGES = fileURLToPath(new URL('../../../shared/data/saved-pages', import.meta.url));

/** A page as its links see it. */
interface Linked {
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
}

function linkedOf(html: string): Linked {
  const [ids, links]: [Set<string>, string[]] = [new Set(), []];
  const visit = (node: DefaultTreeAdapterMap['node']): void => {
    const attributes = new Map('attrs' in node ? node.attrs.map(({ name, value }) => [name, value]) : []);
    for (const [name, value] of attributes) {
      if (name === 'id') {
        if (ids.has(value)) links.push(`two elements with the id ${value}`);
        ids.add(value);
      } else if (name === 'href' || name === 'src') links.push(value);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return { ids, links };
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
      check(from, path === '' ? from : posix.join(posix.dirname(from), path), fragment);
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

describe('links of browse files', () => {
  it.for([
    ['of every kind', '', 3000],
    ['of real saved pages', SAVED_PAGES, 10_000],
  ] as const)('lead to files and fragments of a tree %s, and to each of its pages and feeds', async ([, pages, least], { skip }) => {
    if (pages !== '' && !(isFull && existsSync(pages)))
      return skip('only with PALIMPSEST_PROOF=full, and with the pages beside this checkout');
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    if (pages === '') await readerTree(folder);
    else {
      await palimpsestJson(['import', pages, '--store', store]);
      await palimpsestJson(['build', '--html', '--store', store, '--out', out, '--base-url', BASE_URL]);
    }
    const { checked, broken, unlinked } = crawl(out);
    expect(checked).toBeGreaterThan(least);
    expect([broken, unlinked]).toEqual([[], []]);
  });
});
