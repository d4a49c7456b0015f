import fc from 'fast-check';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { byteText } from '../../src/browse/byte-text.ts';
import { accountPage, changesPage, HOME } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { type History, histories, hostileText } from '../support/histories.ts';
import { elementsNamed, elementsOf, readable, textOf } from './parsed-html.ts';
import { browseFiles, htmlOf, SITE, storeOf } from './small-site.ts';

/** Everything that a page may contain. What a stranger wrote is never more than text, `del`, `ins`, `i` and safe links. */
const ALLOWED =
  /^(html\[lang\]|head|meta\[(charset|http-equiv,content|name,content)\]|title|link\[(rel,href|rel,href,type|rel,type,href)\]|script\[src,defer\]|body\[data-root\]|a\[(class,href|href|href,aria-current|href,rel|href,title|href,title,aria-current|href,data-first,data-last|href,data-holder)\]|header\[class\]|nav\[(aria-label|class,aria-label)\]|div(\[(class|dir|class,data-search|class,data-filters|class,tabindex,role,aria-label)\])?|main\[id\]|footer|h1|h2(\[id\])?|h3|p(\[(class|class,aria-hidden)\])?|span(\[(class|aria-current)\])?|b|bdi(\[class\])?|small|i|del|ins|code|ul(\[class\])?|li|dl(\[class\])?|dt|dd(\[(dir|class,dir)\])?|time\[datetime\]|article\[id,class\]|fieldset\[class\]|legend|input\[type,name,id(,checked)?\]|label\[for\]|table\[class\]|thead|tbody|tr|th\[scope(,class)?\]|td(\[class\])?|abbr\[title\]|svg\[class,viewBox,role,aria-label\]|text\[x,y\]|path\[d\]|rect\[x,y,width,height\]|section)$/;

/** Returns the parse errors of a page that a person could not have meant. */
function errorsIn(html: string): string[] {
  const errors: string[] = [];
  parse(html, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
  return errors;
}

/** Returns a history of one account with one text in every field and every place. */
function historyOf(text: string, diff_html: string): History {
  const name = 'nina_k';
  const types = ['Name', 'Bio', 'Location', 'Website'] as const;
  const record = (id: number, data_type: ChangeRecord['data_type'], html: string): ChangeRecord => ({
    id,
    account: name,
    data_type,
    previous: null,
    text,
    first_encountered_date: '2024-03-05T10:00:00Z',
    diff_html: html,
    web_archive_url: id === 1 ? 'https://archive.example/1' : null,
  });
  const records = [...types.map((type, index) => record(index + 1, type, diffHtml(type, undefined, text))), record(9, 'Bio', diff_html)];
  const data = records.toReversed();
  const profile = { display_name: text, website: text, location: text, bio: text };
  return {
    records: data,
    accounts: [{ screen_name: name, account_creation_date: null, profile_image_url: 'https://a.example/', data, ...profile }],
  };
}

/** Returns a history of one account with one change in May of each of these years, newest first. */
function yearlyHistory(years: readonly number[]): History {
  const { records, accounts } = historyOf('x', '');
  const [record, account] = [records[0], accounts[0]];
  if (record === undefined || account === undefined) throw new Error('no record');
  const data = years.map((year) => ({ ...record, id: year, previous: null, first_encountered_date: `${year}-05-06T00:00:00Z` }));
  return { records: data, accounts: [{ ...account, data }] };
}

describe('a page', () => {
  it('is well-formed and has only elements and attributes of a fixed list, whatever any text is', async () => {
    await fc.assert(
      fc.asyncProperty(histories(30), hostileText, async (history, html) => {
        fc.pre(history.records.length + history.accounts.length > 0);
        const records = history.records.map((record) => (record.id % 3 === 0 ? { ...record, diff_html: html } : record));
        const accounts = history.accounts.map((account) => ({
          ...account,
          data: records.filter(({ account: name }) => name === account.screen_name),
        }));
        const store = await storeOf({ records, accounts });
        for (const [path, bytes] of browseFiles(store)) {
          if (!path.endsWith('.html')) continue;
          const page = bytes?.toString() ?? '';
          expect(errorsIn(page).filter((error) => !/^(control|non)-?character/.test(error))).toEqual([]);
          expect([...new Set(elementsOf(parse(page)))].filter((element) => !ALLOWED.test(element))).toEqual([]);
        }
        store.close();
      }),
      { numRuns: 8 },
    );
  });

  it('shows a text of any characters unchanged, in every field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileText, fc.constant('<script>alert(1)</script>')), async (text) => {
        fc.pre(text.trim() !== '' && !/[\ud800-\udfff]/u.test(text));
        const store = await storeOf(historyOf(text, text));
        const files = browseFiles(store, { ...SITE, page_size: 100 });
        const account = parse(htmlOf(files, accountPage('nina_k')));
        const changes = elementsNamed(account, 'article').map((article) => elementsNamed(article, 'div').map((part) => textOf(part)));
        const isMarkup = text.includes('<');
        for (const after of changes.slice(1)) expect(after).toEqual([readable(text)]);
        // a diff_html outside of the grammar is shown as text after the value
        if (isMarkup) expect(changes[0]).toEqual([readable(text) + readable(text)]);
        expect(textOf(elementsNamed(account, 'h1')[0] ?? account)).toBe(`${readable(text)} @nina_k`);
        const feed = parse(htmlOf(files, changesPage(1)));
        expect(
          elementsNamed(feed, 'article')
            .slice(1)
            .map((article) => textOf(elementsNamed(article, 'div')[0] ?? article)),
        ).toEqual(Array.from({ length: 4 }, () => readable(text)));
        store.close();
      }),
      { numRuns: 20 },
    );
  });

  it('links only to files that exist, to fragments that exist, and to http and https', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const files = browseFiles(store);
        const ids = new Map(
          [...files].map(([path, bytes]) => [path, new Set([...(bytes?.toString() ?? '').matchAll(/ id=([\w-]+)/g)].map(([, id]) => id))]),
        );
        for (const [path, bytes] of files) {
          if (!path.endsWith('.html')) continue;
          const page = parse(bytes?.toString() ?? '');
          for (const link of [...elementsNamed(page, 'a'), ...elementsNamed(page, 'link'), ...elementsNamed(page, 'script')]) {
            const target = link.attrs.find(({ name }) => name === 'href' || name === 'src')?.value ?? '';
            const url = new URL(target, `file:///${path}`);
            if (url.protocol !== 'file:') {
              expect(url.protocol).toMatch(/^https?:$/);
              continue;
            }
            const file = decodeURIComponent(url.pathname.slice(1));
            // the API, which other modules write
            if (path === HOME && /^rest\/(data|account)\/$/.test(file)) continue;
            expect([file, files.has(file)]).toEqual([file, true]);
            if (url.hash !== '') expect([target, ids.get(file)?.has(url.hash.slice(1))]).toEqual([target, true]);
          }
        }
        store.close();
      }),
      { numRuns: 6 },
    );
  });

  it('links the newest month that the table of months leaves out', async () => {
    const years = Array.from({ length: 62 }, (_, index) => 2020 - index);
    for (const [shown, earlier] of [
      [years.slice(0, 60), undefined],
      [years, 1960],
    ] as const) {
      const store = await storeOf(yearlyHistory(shown));
      const home = htmlOf(browseFiles(store), HOME);
      expect(home).toContain('href="browse/months/1961-05.html" title=');
      expect(/<p>Earlier: <a href="(.*?)">(.*?)<\/a>/.exec(home)?.slice(1)).toEqual(
        earlier && [`browse/months/${earlier}-05.html`, `May ${earlier}`],
      );
      store.close();
    }
  });

  it('has every record once in the feed and once on the pages of its account', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const files = browseFiles(store);
        const inOrder = (paths: readonly string[]) =>
          paths.flatMap((path) =>
            elementsNamed(parse(htmlOf(files, path)), 'article').map(({ attrs }) => attrs.find(({ name }) => name === 'id')?.value),
          );
        const ids = history.records.map(({ id }) => `r${id}`);
        expect(inOrder(Array.from({ length: Math.ceil(ids.length / SITE.page_size) }, (_, index) => changesPage(index + 1)))).toEqual(ids);
        for (const { screen_name, data } of history.accounts) {
          expect(inOrder([accountPage(byteText(screen_name))])).toEqual(data.map(({ id }) => `r${id}`));
        }
        store.close();
      }),
      { numRuns: 6 },
    );
  });

  it('has a policy that allows no other host, no inline script and no inline style', async () => {
    const store = await storeOf(historyOf('x', ''));
    const page = htmlOf(browseFiles(store), HOME);
    const policy = /content="(default-src[^"]*)"/.exec(page)?.[1];
    expect(policy).toBe(
      "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'",
    );
    store.close();
  });
});
