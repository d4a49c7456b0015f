import fc from 'fast-check';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { byteText, markup } from '../../src/browse/markup.ts';
import { PageFrames } from '../../src/browse/page-frame.ts';
import { accountPage, changesPage, HOME } from '../../src/browse/paths.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { type History, histories, hostileText } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { elementsNamed, foreignMarkup, readable, textOf } from './parsed-html.ts';
import { browseFiles, historyOf, SITE, storeOf, textsOf } from './small-site.ts';

/** Returns a history of one account with one text in every field and every place. */
function historyWith(text: string): History {
  const types = ['Name', 'Bio', 'Location', 'Website'] as const;
  const records = types.map((data_type) => ({ data_type, previous: null, text, diff_html: diffHtml(data_type, undefined, text) }));
  const web_archive_url = 'https://archive.example/1';
  const profile = { profile_image_url: 'https://a.example/', display_name: text, website: text, location: text, bio: text };
  return historyOf([...records, { previous: null, text, diff_html: text, web_archive_url }], profile);
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
        for (const page of textsOf(browseFiles(await storeOf({ records, accounts })), '.html').values()) {
          expect(foreignMarkup(page)).toEqual([]);
        }
      }),
      { numRuns: times('generated sites', 5, 50) },
    );
  });

  it('shows a text of any characters unchanged, in every field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileText, fc.constant('<script>alert(1)</script>')), async (text) => {
        fc.pre(text.trim() !== '' && !/[\ud800-\udfff]/u.test(text));
        const files = browseFiles(await storeOf(historyWith(text)), { ...SITE, page_size: 100 });
        const account = parse(files.get(accountPage('nina')) ?? '');
        const changes = elementsNamed(account, 'article').map((article) => elementsNamed(article, 'div').map((part) => textOf(part)));
        for (const after of changes) expect(after).toEqual([readable(text)]);
        expect(textOf(elementsNamed(account, 'h1')[0] ?? account)).toBe(`${readable(text)} @nina`);
        const feed = parse(files.get(changesPage(1)) ?? '');
        expect(elementsNamed(feed, 'article').map((article) => textOf(elementsNamed(article, 'div')[0] ?? article))).toEqual(
          Array.from({ length: 5 }, () => readable(text)),
        );
      }),
      { numRuns: times('hostile texts', 8, 100) },
    );
  });

  it('has no invisible characters in its title, because they would change the direction of what follows', () => {
    const page = new PageFrames(SITE).bytesOf({ title: byteText('@a\u202eb\u200bć'), root: '', main: markup`x` }, 'x.html').toString();
    expect(page).toContain('<title>@abć · palimpsest</title>');
  });

  it('links the newest month that the table of months leaves out', async () => {
    const years = Array.from({ length: 62 }, (_, index) => 2020 - index);
    for (const [shown, earlier] of [
      [years.slice(0, 60), undefined],
      [years, 1960],
    ] as const) {
      const yearly = shown.toReversed().map((year) => ({ id: year, previous: null, first_encountered_date: `${year}-05-06T00:00:00Z` }));
      const home = browseFiles(await storeOf(historyOf(yearly))).get(HOME);
      // the year and the months have a column each
      const columns = Array.from(home?.matchAll(/<col(?: class=early)?(?: span=(\d+))?>/g) ?? [], ([, span = '1']) => Number(span));
      expect(columns).toEqual([1, 4, 8]);
      expect(home).toContain('href="browse/months/1961-05.html" title=');
      expect(/<p>Earlier: <a href="(.*?)">(.*?)<\/a>/.exec(home ?? '')?.slice(1)).toEqual(
        earlier && [`browse/months/${earlier}-05.html`, `May ${earlier}`],
      );
    }
  });

  it.each([
    ['long '.repeat(201), '1 change'],
    ['long '.repeat(200), undefined],
  ])('leads from the name to the changes only if the bio is long', async (bio, jump) => {
    const files = browseFiles(await storeOf(historyOf([{}, {}], { bio })), { ...SITE, page_size: 100 });
    const page = parse(files.get(accountPage('nina')) ?? '');
    const textWith = (name: string, value: string) => {
      const found = elementsNamed(page, name).find(({ attrs }) => attrs.some((attribute) => attribute.value === value));
      return found && textOf(found);
    };
    expect([textWith('a', '#changes'), textWith('h2', 'changes')]).toEqual([jump, '1 change']);
  });

  it('calls the records of an older part of an account changes and first values', async () => {
    const page = browseFiles(await storeOf(historyOf(Array.from({ length: 101 }, () => ({}))))).get(accountPage('nina', 1));
    expect(page).toContain('<h2>Changes and first values, part 1</h2>');
    expect(page).toContain('<title>@nina, part 1 · palimpsest</title>');
    // without the script, which adds JSON and CSV
    expect(page).toContain(
      '<a href="../../../browse/about.html#api">How to find these records as JSON in the API</a> and <a href="../../../browse/about.html#cite">how to cite them</a>',
    );
  });

  it('has every record once in the feed and once on the pages of its account', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        fc.pre(history.records.length > 0);
        const files = browseFiles(await storeOf(history));
        const inOrder = (paths: readonly string[]) =>
          paths.flatMap((path) =>
            elementsNamed(parse(files.get(path) ?? ''), 'article').map(({ attrs }) => attrs.find(({ name }) => name === 'id')?.value),
          );
        const ids = history.records.map(({ id }) => `r${id}`);
        expect(
          inOrder(Array.from({ length: Math.ceil(ids.length / SITE.page_size) }, (_, index) => changesPage(index + 1)).toReversed()),
        ).toEqual(ids);
        for (const { screen_name, data } of history.accounts) {
          expect(inOrder([accountPage(byteText(screen_name))])).toEqual(data.map(({ id }) => `r${id}`));
        }
      }),
      { numRuns: times('generated histories', 4, 50) },
    );
  });
});
