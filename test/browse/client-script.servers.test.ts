import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atCheckpoint } from '../../src/browse/accounts/newer-names.ts';
import { clientScript } from '../../src/browse/assets.ts';
import { plainText } from '../../src/browse/markup.ts';
import { accountPage } from '../../src/browse/paths.ts';
import { searchFiles } from '../../src/browse/search/search-index.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { SITE_NAME } from '../conformance/child.ts';
import { type Origin, startOrigin } from '../conformance/subjects/static-origin.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type Browser, CHROMIUM, launch, type Page, until, visit, writeFiles } from './chromium.ts';
import { browseFiles, browseFilesAt, historyOf, SITE, storeOf, textsOf } from './small-site.ts';

const time = (n: number) => new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString();

/**
 * Accounts: nina_k, who was ninette before and changed her bio 130 times, a hostile one, and 700 others whose handles begin
 * with ni. Two accounts had the handle lamp, and none has it today. Another account has the handle harbour today.
 * pier was quay before.
 */
function snapshots(): Snapshot[] {
  const bios = Array.from({ length: 130 }, (_, n) => ({
    observed_at: time(n),
    id: 'n',
    screen_name: n === 0 ? 'ninette' : 'nina_k',
    display_name: 'Nina Kowal 🌻',
    bio: n === 0 ? 'maps of places' : `maps of ${n} places that moved\nand <b>more</b>`,
  }));
  const others = Array.from({ length: 700 }, (_, n) => ({
    observed_at: time(n),
    id: `o${n}`,
    screen_name: `ni_other${n}`,
    display_name: `Other ${n}`,
    ...(n === 650 ? { location: 'one more record' } : {}),
    ...(n === 699 ? { web_archive_url: 'https://archive.example/other' } : {}),
  }));
  const hostile = {
    observed_at: time(1),
    id: 'h',
    screen_name: 'xss',
    display_name: '<img src=x onerror=alert(1)>',
    bio: '<script>alert(1)</script>',
  };
  const handles = [
    ['lamp', 'lamp_one', 1],
    ['lamp', 'lamp_two', 10],
    ['harbour', 'harbour_old', 20],
    ['harbour', 'harbour', 30],
  ] as const;
  const moved = handles.flatMap(([before, after, day]) => [
    { observed_at: time(day), id: `id of ${after}`, screen_name: before, display_name: after },
    { observed_at: time(day + 1), id: `id of ${after}`, screen_name: after, display_name: after },
  ]);
  const pier = [
    { observed_at: time(20), screen_name: 'quay' },
    { observed_at: time(21), screen_name: 'pier' },
    { observed_at: time(25), screen_name: 'pier', location: 'a' },
    { observed_at: time(26), screen_name: 'pier', location: 'b' },
    { observed_at: time(26.5), screen_name: 'pier', location: 'c' },
    { observed_at: time(26.7), screen_name: 'pier', location: 'a' },
  ].map((snapshot) => ({ id: 'p', display_name: 'Pier', ...snapshot }));
  const zero = ['maps', 'ma\u200bps', 'cafe\u0301', 'caf\u00e9'].map((location, n) => ({
    ...{ observed_at: time(400 + n), id: 'z', screen_name: 'zero', location, website: `http://${Math.min(n, 1)}.example` },
  }));
  return [...bios, ...others, ...moved, ...pier, ...zero, hostile].toSorted((a, b) => (a.observed_at < b.observed_at ? -1 : 1));
}

/** What the page says of a day with new values. */
const values = (day: string, fields: string) =>
  `This page has changes first seen on ${day} (UTC): ${fields}. The profile has the last values of that day.`;

/** What the page says of the profile of a day before a new value. */
const next = (day: string, newDay: string, fields = ' (Bio)') =>
  `After ${day}, the next new value was first seen on ${newDay}${fields}. The profile may have shown it before that day.`;

const bioThenNext = (day: string, newDay: string, fields = ' (Bio)') => `${values(day, 'Bio 1')} ${next(day, newDay, fields)}`;

it('the client script is small and has no module syntax', () => {
  const script = clientScript().toString();
  expect(script).not.toMatch(/^\s*(import|export)\b/m);
  expect(script).not.toMatch(/innerHTML|eval\(|fetch\(/);
  expect(script.length).toBeLessThan(47_900);
  expect(() => new Function(script)).not.toThrow();
});

describe.skipIf(CHROMIUM.skip)(`the client script in Chromium ${CHROMIUM.reason}`, () => {
  const folder = folderOfFile();
  let [fileUrl, nina] = ['', ''];
  let files = new Map<string, string>();
  let browser: Browser;
  let origin: Origin;

  beforeAll(async () => {
    await observe(join(folder, 'store.db'), snapshots());
    files = browseFilesAt(join(folder, 'store.db'), {
      ...{ ...SITE, page_size: 100, account_page_size: 100 },
      snapshot_days: [{ from: '2020-01-01', to: time(699).slice(0, 10) }],
    });
    divideIndex();
    nina = pageOf('nina_k');
    fileUrl = writeFiles(join(folder, 'out'), files);
    origin = await startOrigin(join(folder, 'out'));
    browser = await launch();
  });
  /** Makes the files of the search index so small that there are several. */
  function divideIndex(): void {
    const store = Store.open(join(folder, 'store.db'));
    const newer = store.accountsSinceCheckpoint();
    const accounts = [...atCheckpoint(store.accountReader().searchedNames(), newer)];
    store.close();
    // the index lacks it, and the search finds it
    expect(newer.map(({ screen_name }) => screen_name)).toEqual(['ni_other699']);
    const named = (isWanted = (_: string) => true) => accounts.filter(({ screen_name }) => isWanted(screen_name));
    for (const { path, text } of searchFiles(named, 20_000)) files.set(path, plainText(text));
  }
  const pageOf = (handle: string) => [...files.keys()].find((path) => path.endsWith(`/${handle}.html`)) ?? '';
  /** The page of changes with a day. */
  const pageWith = (day: string) =>
    [...files].find(([path, html]) => path.startsWith('browse/changes/') && html.includes(`<h2>${day}</h2>`))?.[0] ?? '';
  afterAll(async () => {
    await browser.close();
    await origin.child.stop();
  });

  const open = (path: string, base = fileUrl, options: Parameters<Browser['newContext']>[0] = {}) =>
    visit(browser, base + path, base, options);
  const results = (page: Page) => page.locator('[role=option]');

  /** Holds the files of the index for names that begin with n. Returns the function that releases it. */
  async function holdNi(page: Page): Promise<() => void> {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/search\/(best|from)-6e/, async (route) => {
      await held;
      await route.continue();
    });
    return () => release();
  }

  it('finds accounts from the first letter, and by former handle', async () => {
    const page = await open('browse/changes/1.html');
    await page.locator('#query').fill('n');
    await results(page).first().waitFor();
    expect(await results(page).count()).toBe(20);
    expect(await page.locator('.search [role=status]').textContent()).toBe('20 of 701 accounts. Type more to find the others.');
    expect(await results(page).first().textContent()).toMatch(/^@nina_k /);
    await page.locator('#query').fill('ninet');
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    expect(await results(page).first().textContent()).toBe('@nina_k Nina Kowal 🌻 formerly @ninette');
    await page.locator('#query').fill('ni_other2');
    await until(page, 'document.querySelector(".search [role=status]").textContent.startsWith("20 of 111 accounts.")');
    await page.locator('#query').fill('zzz');
    await until(page, 'document.querySelector(".search [role=status]").textContent === "No account found."');
  });

  it('hides the links of the home page that need the script, without it', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open('index.html', fileUrl, { javaScriptEnabled });
      expect(await page.locator('[aria-label="All records"]').isVisible()).toBe(javaScriptEnabled);
    }
  });

  it('moves through results with the arrows and closes them with Escape', async () => {
    const page = await open('index.html');
    await page.locator('#query').fill('ni_other29');
    await until(page, 'document.querySelectorAll("[role=option]").length === 11');
    const selected = async () => [
      await page.locator('#query').getAttribute('aria-activedescendant'),
      await page.locator('[aria-selected=true]').getAttribute('id'),
    ];
    expect(await selected()).toEqual(['result-0', 'result-0']);
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toEqual(['result-1', 'result-1']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toEqual(['result-10', 'result-10']);
    expect(await page.locator('#query').getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await results(page).count()).toBe(0);
    expect(await page.locator('#query').getAttribute('aria-expanded')).toBe('false');
  });

  it('ignores an answer that arrives after a later one', async () => {
    const page = await open('index.html', `${origin.url}/`);
    const release = await holdNi(page);
    await page.locator('#query').fill('n');
    await page.locator('#query').fill('xss');
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    release();
    await until(page, 'performance.getEntriesByType("resource").some(({ name }) => name.includes("-6e"))');
    expect(await results(page).allTextContents()).toEqual(['@xss <img src=x onerror=alert(1)>']);
  });

  it('opens the result of the text in the field with Enter, also before it is found', async () => {
    const page = await open('index.html', `${origin.url}/`);
    const release = await holdNi(page);
    await page.locator('#query').fill('xss');
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    await page.locator('#query').fill('ni_other290');
    await page.keyboard.press('Enter');
    release();
    await page.waitForURL(/\/browse\/account\//);
    expect(await page.title()).toMatch(/@ni_other290/);
  });

  it('opens no result with Enter if the reader types on meanwhile', async () => {
    const page = await open('index.html', `${origin.url}/`);
    const release = await holdNi(page);
    await page.evaluate(`document.addEventListener('click', (event) => { event.preventDefault(); document.title = 'opened'; })`);
    await page.locator('#query').fill('ni_other29');
    await page.keyboard.press('Enter');
    await page.locator('#query').fill('ni_other290');
    release();
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    expect(await page.title()).not.toBe('opened');
  });

  it('leaves the keys to an input method while it composes a text', async () => {
    const page = await open('index.html');
    await page.locator('#query').fill('ni_other29');
    await until(page, 'document.querySelectorAll("[role=option]").length === 11');
    await page.evaluate(`document.addEventListener('click', (event) => { event.preventDefault(); document.title = 'opened'; })`);
    const press = (key: string, isComposing: boolean) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', isComposing: ${isComposing}, bubbles: true }))`,
      );
    await press('ArrowDown', true);
    await press('Enter', true);
    await press('Escape', true);
    expect(await page.locator('[aria-selected=true]').getAttribute('id')).toBe('result-0');
    expect(await page.title()).not.toBe('opened');
    await press('Enter', false);
    expect(await page.title()).toBe('opened');
  });

  it('counts the changes that both filters show, and shows only the days of these', async () => {
    const page = await open(pageWith('8 May 2020'));
    const shown = (selector: string) =>
      page.evaluate<string[]>(
        `Array.from(document.querySelectorAll(${JSON.stringify(selector)})).filter((each) => each.getClientRects().length > 0).map((each) => each.textContent)`,
      );
    const status = () => page.locator('.filters [role=status]').textContent();
    const all = (await shown('.changes article')).length;
    await page.locator('label[for=fB]').click();
    const [bios, days] = [await shown('.changes article.B'), await shown('.changes h2')];
    expect([bios.length > 10, (await shown('.changes article')).length]).toEqual([true, bios.length]);
    expect(await status()).toBe(`${bios.length} of ${all} records on this page`);
    expect(days.length).toBe(bios.length);
    await page.locator('#from').fill('2020-05-08');
    await page.locator('#to').fill('2020-05-10');
    expect(await shown('.changes h2')).toEqual(['9 May 2020', '8 May 2020']);
    expect(await status()).toBe(`2 of ${all} records on this page, from 2020-05-08 to 2020-05-10`);
    await page.emulateMedia({ media: 'print' });
    expect(await shown('.filter label, .filters *')).toEqual([expect.stringMatching(/^Bio \d+ changes$/), await status()]);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('label[for=fA]').click();
    expect(await shown('.changes h2')).toEqual(['10 May 2020', '9 May 2020', '8 May 2020']);
    expect(await status()).toBe(`5 of ${all} records on this page, from 2020-05-08 to 2020-05-10`);
    await page.locator('.filters button').click();
    expect([(await shown('.changes article')).length, await status()]).toEqual([all, '']);
  });

  it.each([
    [
      'a page of changes',
      (): string => pageWith('8 May 2020'),
      ['2020-01-05', '2020-02-09'],
      [
        'Other pages can have entries of these dates:',
        'page 1 1.html#fA,2020-01-05..2020-02-09',
        'First and last month with entries:',
        'January 2020 months/2020-01.html#d05',
        'February 2020 months/2020-02.html#d09',
      ],
    ],
    [
      'a page with the last date',
      (): string => pageWith('8 May 2020'),
      ['2020-01-05', '2020-05-08'],
      [
        'Other pages can have entries of these dates:',
        'page 2 2.html#fA,2020-01-05..2020-05-08',
        'page 1 1.html#fA,2020-01-05..2020-05-08',
        'First and last month with entries:',
        'January 2020 months/2020-01.html#d05',
        'May 2020 months/2020-05.html#d08',
      ],
    ],
    [
      'a page of changes, if there are none,',
      (): string => pageWith('8 May 2020'),
      ['', '2019-12-31'],
      ['No page has entries of these dates.'],
    ],
    [
      'the page with the oldest changes',
      (): string => 'browse/changes/1.html',
      ['', '2019-12-31'],
      ['No page has entries of these dates.'],
    ],
    [
      'a part of an account',
      (): string => nina.replace('.html', '~p1.html'),
      ['2020-03-01', ''],
      [
        'Other parts can have entries of these dates:',
        'part 2 nina_k~p2.html#fA,2020-03-01..',
        'Profile on:',
        '2020-03-01 nina_k.html#on=2020-03-01',
      ],
    ],
    [
      'the main page of an account with days before its entries',
      (): string => nina,
      ['2020-01-05', '2020-03-01'],
      [
        'Other parts can have entries of these dates:',
        'part 1 nina_k~p1.html#fA,2020-01-05..2020-03-01',
        'Profile on:',
        '2020-01-05 nina_k.html#on=2020-01-05',
        '2020-03-01 nina_k.html#on=2020-03-01',
      ],
    ],
    [
      'the main page of an account with the day of its oldest entry, which can be in two parts',
      (): string => nina,
      ['2020-02-19', '2020-02-19'],
      [
        'Other parts can have entries of these dates:',
        'part 1 nina_k~p1.html#fA,2020-02-19..2020-02-19',
        'Profile on:',
        '2020-02-19 nina_k.html#on=2020-02-19',
      ],
    ],
    ['the main page of an account', (): string => nina, ['2020-05-10', ''], ['Profile on:', '2020-05-10 nina_k.html#on=2020-05-10']],
    [
      'the page of an account with one part',
      (): string => pageOf('pier'),
      ['2020-01-22', '2020-01-23'],
      ['Profile on:', '2020-01-22 pier.html#on=2020-01-22', '2020-01-23 pier.html#on=2020-01-23'],
    ],
    ['a page without chosen dates', (): string => nina, ['', ''], []],
  ] as const)('leads from %s to other pages with the dates of the filter', async (_, pathOf, [from, to], expected) => {
    const page = await open(pathOf());
    await page.locator('#from').fill(from);
    await page.locator('#to').fill(to);
    const nodes = `Array.from(document.querySelector('.filters [aria-live]').childNodes)`;
    const shown = `${nodes}.map(({ href, textContent }) => textContent + (href ? ' ' + href.split('/').slice(href.includes('/months/') ? -2 : -1).join('/') : ''))`;
    await expect.poll(() => page.evaluate(shown), { timeout: 10_000 }).toEqual(expected);
  });

  it('goes on from a day of a calendar to the entries of the day', async () => {
    const page = await open('browse/months/2020-05.html');
    await page.goto(`${page.url()}#d08`);
    await page.waitForURL(/\/changes\/\d+\.html#r\d+$/);
    expect(await page.evaluate(`document.querySelector(':target').closest(':has(> h2)').querySelector('h2').textContent`)).toBe(
      '8 May 2020',
    );
  });

  it('shows the changes and renames that may have happened on the chosen dates, and counts them separately', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const seen = (day: number, screen_name: string, bio: string) => ({ observed_at: time(day), id: 'r', screen_name, bio });
    await observe(store, [seen(1, 'cliff', 'a'), seen(20, 'cliff', 'a'), seen(90, 'reef', 'b'), seen(120, 'reef', 'c')]);
    const url = writeFiles(temporaryFolder(), browseFilesAt(store));
    const page = await open(accountPage('reef'), url);
    for (const [from, to, shown, status] of [
      [
        '2020-02-01',
        '2020-02-10',
        ['Bio', 'Handle'],
        '0 of 4 records and renames on this page, from 2020-02-01 to 2020-02-10. 2 more may have happened on these days.',
      ],
      [
        '2020-01-21',
        '2020-01-21',
        ['Bio', 'Handle'],
        '1 of 4 records and renames on this page, from 2020-01-21 to 2020-01-21. 1 more may have happened on these days.',
      ],
      ['2020-04-20', '', ['Bio'], '1 of 4 records and renames on this page, from 2020-04-20'],
      ['', '2020-01-20', ['Bio'], '1 of 4 records and renames on this page, to 2020-01-20'],
      ['2020-05-01', '2020-05-02', [], '0 of 4 records and renames on this page, from 2020-05-01 to 2020-05-02'],
    ] as const) {
      await page.locator('#from').fill(from);
      await page.locator('#to').fill(to);
      expect(await page.locator('article:not([hidden]) h4').allTextContents()).toEqual(shown);
      expect(await page.locator('.filters [role=status]').textContent()).toBe(status);
    }
  });

  it('takes a rename without a known end for one of any later day, and a value that was not known for no addition', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const seen = (day: number, screen_name: string, more: object) => ({ observed_at: time(day), id: 'r', screen_name, bio: 'a', ...more });
    await observe(store, [seen(1, 'cliff', {}), seen(5, 'cliff', { location: 'Leeds' }), seen(20, 'reef', {})]);
    const page = await open(`${accountPage('reef')}#on=2020-01-02..2020-01-06`, writeFiles(temporaryFolder(), browseFilesAt(store)));
    const added = page.locator('[data-day] dd:has(.note)');
    expect([await added.textContent(), await added.locator('ins').count()]).toEqual(['Leeds not known before', 0]);
    await page.locator('#from').fill('2020-01-10');
    expect(await page.locator('.filters [role=status]').textContent()).toBe(
      '0 of 3 records and renames on this page, from 2020-01-10. 1 more may have happened on these days.',
    );
  });

  it('keeps the dates of the filter in the address, beside the field', async () => {
    const page = await open(`${nina}#fC,2020-05-08..2020-05-09`);
    const state = () =>
      page.evaluate<string[]>(
        `[location.hash, document.querySelector('.filter :checked').id, document.querySelector('#from').value, document.querySelector('#to').value]`,
      );
    expect(await state()).toEqual(['#fC,2020-05-08..2020-05-09', 'fC', '2020-05-08', '2020-05-09']);
    expect(await page.locator('.filters [role=status]').textContent()).toMatch(
      /^2 of \d+ records on this page, from 2020-05-08 to 2020-05-09$/,
    );
    await page.locator('label[for=fB]').click();
    await page.locator('#from').fill('');
    expect(await state()).toEqual(['#fB,..2020-05-09', 'fB', '', '2020-05-09']);
    await page.goto(`${fileUrl}${nina}#fB,2020-05-09..`);
    await until(page, `document.querySelector('#from').value === '2020-05-09' && document.querySelector('#to').value === ''`);
    await page.locator('.filters button').click();
    expect(await state()).toEqual(['#fB', 'fB', '', '']);
  });

  it('shows all entries if the second day is before the first', async () => {
    const page = await open(nina.replace('.html', '~p1.html'));
    await page.locator('#from').fill('2020-01-08');
    await page.locator('#to').fill('2020-01-07');
    expect(await page.locator('.filters [role=status]').textContent()).toBe('The second day must not be before the first.');
    expect(await page.locator('article[hidden]').count()).toBe(0);
    await page.locator('#to').fill('2020-01-08');
    expect(await page.locator('.filters [role=status]').textContent()).toMatch(/^1 of \d+ records and renames on this page, /);
  });

  it('copies an arrow between a removed and an added text, which nobody sees', async () => {
    const page = await open(pageWith('8 May 2020'));
    const copied = `(getSelection().selectAllChildren(document.querySelector('article.B div')), getSelection().toString())`;
    expect(await page.evaluate(copied)).toMatch(/^maps of \d+ → \d+ places that moved\nand <b>more<\/b>$/);
    expect(await page.evaluate(`document.querySelector('.copied').getBoundingClientRect().width`)).toBe(0);
  });

  it('leads from the home page through all records of a field, and counts them', async () => {
    const page = await open('index.html');
    await page.locator('nav[aria-label="All records"] a[href$="#fB"]').click();
    await page.waitForURL(/changes\/\d+\.html#fB$/);
    const [found, links]: [string[], string[]] = [[], []];
    for (let address: string | undefined; links.length === 0 || address !== undefined; ) {
      if (address !== undefined) await page.goto(address);
      await until(page, `document.querySelector('.filters p:last-child').textContent.startsWith('131 records on all pages.')`);
      found.push(
        ...(await page.evaluate<string[]>(
          `Array.from(document.querySelectorAll('.changes article')).filter((each) => each.getClientRects().length > 0).map(({ className, id }) => className[0] + id)`,
        )),
      );
      const addresses = await page.evaluate<Record<string, string>>(
        `Object.fromEntries(Array.from(document.querySelectorAll('.filters a')).map(({ textContent, href }) => [textContent.slice(0, 5), href]))`,
      );
      links.push(Object.keys(addresses).join());
      address = addresses['Older'];
    }
    expect([new Set(found).size, found.every((each) => each.startsWith('Br'))]).toEqual([131, true]);
    expect([links[0], links[1], links.at(-1)]).toEqual(['Older', 'Newer,Older', 'Newer']);
    // the pages between them keep the choice
    expect(await page.evaluate(`document.querySelector('nav.pages a[rel=prev]').hash`)).toBe('#fB');
    await page.locator('label[for=fV]').click();
    await until(page, `document.querySelector('.filters').textContent.includes('0 records on all pages.')`);
    expect(await page.locator('.filters a').count()).toBe(0);
    // while a site is copied, its file can count more records than the pages of the build before have
    writeFiles(join(folder, 'out'), new Map([['browse/fields/1.js', 'palimpsestFields = { V: [0, 0] };']]));
    await page.addInitScript(`palimpsestSite = { fields: { first: 501, counts: { V: [5, 0, 0] } } }`);
    await page.goto(`${fileUrl}browse/changes/1.html`);
    await page.locator('label[for=fV]').click();
    await until(page, `document.querySelector('.filters').textContent.includes('5 records on all pages.')`);
    expect(await page.locator('.filters a').count()).toBe(0);
  });

  it('shows only the days with changes of a field, and no search, without JavaScript', async () => {
    const page = await open(pageWith('8 May 2020'), fileUrl, { javaScriptEnabled: false });
    expect(await page.locator('.search:visible').count()).toBe(0);
    await page.locator('label[for=fB]').click();
    const days = await page.locator('.changes h2:visible').count();
    expect(days).toBe(await page.locator('.changes article:visible').count());
    expect(days).toBeLessThan(await page.locator('.changes h2').count());
  });

  it('compares two versions, also of pages with older changes', async () => {
    const page = await open(nina);
    const buttons = page.locator('article.B button.compare');
    const heights = () =>
      page.evaluate(`Array.from(document.querySelectorAll('.own *:not(.columns b > span)'), ({ offsetHeight }) => offsetHeight).join()`);
    const before = await heights();
    expect(await buttons.nth(1).getAttribute('title')).toBe('Compare with another version');
    await buttons.first().click();
    expect(await buttons.nth(1).getAttribute('title')).toBe('Compare with the chosen version');
    expect(await page.locator('.columns b').textContent()).toMatch(/Chosen: Bio, 9 May 2020, .* Compare it with another version\.$/);
    // no row moves
    expect(await heights()).toBe(before);
    await buttons.nth(1).click();
    expect(await page.locator('.difference').textContent()).toBe('maps of 128129 places that moved\nand <b>more</b>');
    expect(await page.locator('.difference del').allTextContents()).toEqual(['128']);
    expect(await page.locator('.difference ins').allTextContents()).toEqual(['129']);
    await page.keyboard.press('Escape');
    await buttons.first().click();
    await page.locator('nav.pages a').last().press('Enter');
    await page.waitForURL(/nina_k~p1\.html$/);
    await buttons.last().click();
    expect(await page.locator('dialog.comparison section p').allTextContents()).toEqual([
      'maps of places',
      'maps of 129 places that moved\nand <b>more</b>',
    ]);
    expect(await page.locator('.difference ins').allTextContents()).toEqual(['129 ', ' that moved\nand <b>more</b>']);
  });

  it('names invisible characters in a comparison of versions and of days', async () => {
    const page = await open(pageOf('zero'));
    const buttons = page.locator('article.L button.compare');
    for (const [one, other, note] of [
      [3, 2, 'zero-width space U+200B added'],
      [1, 0, 'normalization: U+0065 U+0301 became U+00E9'],
    ] as const) {
      await buttons.nth(one).click();
      await buttons.nth(other).click();
      expect(await page.locator('.difference .note').textContent()).toBe(note);
      await page.keyboard.press('Escape');
    }
    await page.goto(`${page.url()}#on=${time(400).slice(0, 10)}..${time(401).slice(0, 10)}`);
    await until(page, `document.querySelector('[data-day] .note') !== null`);
    expect(await page.locator('[data-day] .note').allTextContents()).toEqual(['zero-width space U+200B added']);
  });

  it('says that both versions must be of the same field if the second one is not', async () => {
    const page = await open(pageOf('zero'));
    const hint = page.locator('.columns b span');
    await page.locator('article.L button.compare').first().click();
    expect(await hint.textContent()).toMatch(/^ Chosen: Location, /);
    const website = page.locator('article.W button.compare').first();
    await website.click();
    expect(await hint.textContent()).toMatch(/^ Both versions must be of the same field\. Chosen: Website, /);
    expect(await website.getAttribute('aria-label')).toMatch(/^Both versions must be of the same field\. Chosen: Website, /);
    await website.click();
    expect([await hint.textContent(), await page.locator('dialog').count()]).toEqual(['', 0]);
  });

  it('shows the profile of a day and compares two days, whichever pages have them, and the address keeps both', async () => {
    const page = await open(nina);
    const shown = () => page.evaluate<string[]>(`Array.from(document.querySelectorAll('[data-day] dd')).map((each) => each.textContent)`);
    const bio = (n: number) => (n === 0 ? 'maps of places' : `maps of ${n} places that moved\nand <b>more</b>`);
    await page.locator('#day').fill('2020-05-08');
    await until(page, `document.querySelector('[data-day] h2')?.textContent === 'Profile on 8 May 2020'`);
    expect(await shown()).toEqual(['@nina_k', 'Nina Kowal 🌻', bio(128)]);
    // the newest parts are on the main page, the first ones on pages of their own
    const newest =
      'No snapshot after 9 May 2020 has this account. This page does not show the profile on 10 May 2020. The newest value was first seen on 9 May 2020 (Bio).';
    const empty = 'No source showed this profile on 31 December 2019: it was first seen on 1 January 2020.';
    const rename =
      '@ninette was last seen on 1 January 2020, 00:00:00 UTC. The account was renamed to @nina_k at an unknown time after that and by 2 January 2020, 00:00:00 UTC.';
    for (const [days, expected, ...notes] of [
      ['2019-12-31', [], empty],
      // the handle of that day
      ['2020-01-01', ['@ninette', bio(0)], `${rename} ${next('1 January 2020', '2 January 2020')}`],
      ['2020-01-02', ['@nina_k', bio(1)], bioThenNext('2 January 2020', '3 January 2020')],
      ['2020-01-20', ['@nina_k', bio(19)], bioThenNext('20 January 2020', '21 January 2020')],
      // the page of a part does not know the fields of the next one
      ['2020-02-18', ['@nina_k', bio(48)], bioThenNext('18 February 2020', '19 February 2020', '')],
      ['2020-02-19', ['@nina_k', bio(49)], bioThenNext('19 February 2020', '20 February 2020')],
      ['2020-02-20', ['@nina_k', bio(50)], bioThenNext('20 February 2020', '21 February 2020')],
      ['2020-05-09', ['@nina_k', bio(129)], values('9 May 2020', 'Bio 1')],
      ['2020-05-10', ['@nina_k', bio(129)], newest],
      ['2019-12-31..2020-05-10', [], empty, newest],
      [
        '2020-01-01..2020-05-09',
        ['@ninette@nina_k', 'maps of 129 places that moved\nand <b>more</b>'],
        // there can be pages between the two pages
        'At least 129 changes were first seen between these days. At least 1 rename may have happened between these days.',
        `${rename} ${next('1 January 2020', '2 January 2020')}`,
        values('9 May 2020', 'Bio 1'),
      ],
      [
        '2020-01-20..2020-05-09',
        ['@nina_k', 'maps of 19129 places that moved\nand <b>more</b>'],
        'At least 110 changes were first seen between these days.',
        bioThenNext('20 January 2020', '21 January 2020'),
        values('9 May 2020', 'Bio 1'),
      ],
      [
        '2020-01-20..2020-01-21',
        ['@nina_k', 'maps of 1920 places that moved\nand <b>more</b>'],
        '1 change was first seen between these days. 1 change first seen later may have happened between these days.',
        bioThenNext('20 January 2020', '21 January 2020'),
        bioThenNext('21 January 2020', '22 January 2020'),
      ],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(`${fileUrl}${nina}#on=${days}`);
      await until(page, `document.querySelector('[data-day] [role=status]')?.childElementCount > 0`);
      expect([days, (await shown()).filter((text) => !text.startsWith('Nina'))]).toEqual([days, expected]);
      expect(await page.locator('[data-day] p').allTextContents()).toEqual(notes);
      expect(page.url()).toMatch(new RegExp(`#on=${days}$`));
    }
    // a page of a part leads to the day, too
    await page.locator('#other-day').fill('2020-05-09');
    await until(
      page,
      `document.querySelector('[data-day] h2')?.textContent === 'Profile on 20 January 2020 compared with profile on 9 May 2020'`,
    );
    expect(await page.locator('[data-day] del').allTextContents()).toEqual(['19']);
    // the days stay in their fields, in any order
    await page.goto(`${fileUrl}${nina}#on=2020-01-20..2020-05-09`);
    await page.locator('#day').fill('2020-06-01');
    await until(page, `document.querySelector('[data-day] [role=status]').textContent === 'The second day must be after the first.'`);
    expect(page.url()).toMatch(/#on=2020-06-01\.\.2020-05-09$/);
    expect(await page.evaluate(`Array.from(document.querySelectorAll('[data-day] input')).map(({ value }) => value)`)).toEqual([
      '2020-06-01',
      '2020-05-09',
    ]);
  });

  it.each([
    ['the newest snapshot of the account, which is not new', 'nina_k', '9999-01-01', 'Last known profile, from 9 May 2020'],
    ['the same, from the page of a part', 'nina_k~p3', '2020-05-10', 'Last known profile, from 9 May 2020'],
    ['the newest record, if others have newer ones', 'ni_other695', '2021-11-27', 'Last known profile, seen on or after 26 November 2021'],
    ['the newest snapshot of others', 'ni_other695', '2021-12-01', 'Last known profile, seen on or after 26 November 2021'],
    ['the newest snapshot of the account', 'ni_other699', '2021-12-01', 'Last known profile, from 30 November 2021'],
  ])('does not claim to know a profile after its last day: after %s', async (_, account, day, heading) => {
    const page = await open(`${pageOf(account)}#on=${day}`);
    await until(page, `document.querySelector('[data-day] h2')?.textContent === '${heading}'`);
    expect(await page.locator('[data-day] p').textContent()).toMatch(
      /^(?:No snapshot after 9 May 2020 has this account\. )?This page does not show the profile on /,
    );
  });

  it('says of a day without a snapshot or a record of the account that it shows the last known profile', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const seen = (day: number, id: string, screen_name = id) => ({ observed_at: time(day), id, screen_name, bio: 'a' });
    await observe(store, [
      seen(1, 'quiet'),
      seen(1, 'reef', 'cliff'),
      seen(20, 'quiet'),
      seen(20, 'reef', 'cliff'),
      seen(1, 'tern'),
      { ...seen(22, 'tern'), bio: 'b' },
      seen(23, 'reef'),
      seen(25, 'other'),
    ]);
    const recordsOn = (account: string, first: number, days: readonly number[]) =>
      days.map((day, n) => bioRecord(first + n, { account, first_encountered_date: time(day).replace('.000', '') }));
    const long = Array.from({ length: 150 }, (_, n) => 2 * n);
    const records = [...recordsOn('lantern', 1, [1, 3]), ...recordsOn('ferry', 50, [10, 4]), ...recordsOn('beacon', 100, long)];
    await importInputs(store, [sourceOf(records)], { onConflict: 'fail' });
    const spans = [
      [1, 5],
      [20, 25],
    ].map(([from = 0, to = 0]) => ({ from: time(from).slice(0, 10), to: time(to).slice(0, 10) }));
    const url = writeFiles(temporaryFolder(), browseFilesAt(store, { ...SITE, snapshot_days: spans }));
    for (const [account, date, heading] of [
      ['quiet', '2020-01-02', 'Profile on 2 January 2020'],
      // other accounts have snapshots of the day
      ['quiet', '2020-01-05', 'Last known profile, from 5 January 2020 or earlier'],
      ['quiet', '2020-01-10', 'Last known profile, from 6 January 2020 or earlier'],
      [
        'quiet',
        '2020-01-10..2020-01-22',
        'Last known profile, from 6 January 2020 or earlier compared with last known profile, seen on or after 21 January 2020',
      ],
      // the ids of its records do not follow their times
      ['ferry', '2020-01-12', 'Last known profile, from 11 January 2020'],
      // the account was seen lately: its page does not say when
      ['quiet', '2020-01-21', 'Last known profile, seen on or after 21 January 2020'],
      ['quiet', '2020-01-22', 'Last known profile, seen on or after 21 January 2020'],
      ['reef', '2020-01-22', 'Last known profile, seen on or after 21 January 2020'],
      // other accounts have snapshots between the two of its change
      ['tern', '2020-01-02', 'Profile on 2 January 2020'],
      ['tern', '2020-01-05', 'Last known profile, from 2 January 2020'],
      ['tern', '2020-01-22', 'Last known profile, from 2 January 2020'],
      ['tern', '2020-01-23', 'Profile on 23 January 2020'],
      // snapshots are of other accounts
      ['lantern', '2020-01-03', 'Last known profile, from 2 January 2020'],
      ['lantern', '2020-01-04', 'Profile on 4 January 2020'],
      ['lantern', '2020-01-22', 'Last known profile, from 4 January 2020'],
      // also on the page of a part
      ['beacon', '2020-01-23', 'Profile on 23 January 2020'],
      ['beacon', '2020-01-24', 'Last known profile, from 23 January 2020'],
    ] as const) {
      const page = await open(`${accountPage(account)}#on=${date}`, url);
      await until(page, `document.querySelector('[data-day] h2')`);
      expect([account, date, await page.locator('[data-day] h2').textContent()]).toEqual([account, date, heading]);
    }
    const page = await open(`${accountPage('quiet')}#on=2020-01-05`, url);
    await until(page, `document.querySelector('[data-day] h2')`);
    expect(await page.locator('[data-day] p').textContent()).toBe(
      'It is not known whether a snapshot of 5 January 2020 had this account. Before 5 January 2020, the newest value was first seen on 2 January 2020 (Bio). This page does not show how long the profile had it.',
    );
    await until(page, `document.querySelector('[data-seen-lately]').textContent.includes('January')`);
    expect(await page.locator('[data-seen-lately]').textContent()).toBe(
      'Between 21 January 2020 and 26 January 2020, the day of the newest snapshot in this history.',
    );
  });

  it('shows the present handle of an account that was renamed and seen lately, but not on the day of the former one', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const seen = (day: number, screen_name: string) => ({ observed_at: time(day), id: 'r', screen_name, bio: 'a' });
    await observe(store, [seen(1, 'cliff'), seen(20, 'cliff'), seen(23, 'reef')]);
    const spans = [1, 20, 23].map((day) => time(day).slice(0, 10)).map((day) => ({ from: day, to: day }));
    const url = writeFiles(temporaryFolder(), browseFilesAt(store, { ...SITE, snapshot_days: spans }));
    for (const [day, handle] of [
      ['2020-01-21', '@cliff'],
      ['2020-01-22', '@reef'],
    ] as const) {
      const page = await open(`${accountPage('reef')}#on=${day}`, url);
      await until(page, `document.querySelector('[data-day] dd')`);
      expect([day, await page.locator('[data-day] dd').first().textContent()]).toEqual([day, handle]);
    }
  });

  it('takes the word in place of an empty value for no value', async () => {
    const store = await storeOf(historyOf([{ text: 'maps' }, { text: '', diff_html: '' }]));
    const url = writeFiles(temporaryFolder(), textsOf(browseFiles(store)));
    const page = await open(`${accountPage('nina')}#on=2020-01-01`, url);
    expect(await page.locator('.own article div').first().textContent()).toBe('maps');
    expect(await page.locator('.own article div').nth(1).textContent()).toBe('empty');
    await until(page, `document.querySelector('[data-day] h2')`);
    expect(await page.locator('[data-day] dd').last().textContent()).toBe('');
    await page.locator('button.cite').first().click();
    expect(await page.locator('dialog pre').nth(1).textContent()).toContain('Bio of @nina, removed');
  });

  it('shows both handles between a rename, which has no known time, and the next record', async () => {
    const page = await open(pageOf('pier'));
    const note = async (day: number) => {
      await page.locator('#day').fill(`2020-01-${day}`);
      const heading = day === 22 ? 'Last known profile, from 22 January 2020 or earlier' : `Profile on ${day} January 2020`;
      await until(page, `document.querySelector('[data-day] h2')?.textContent === '${heading}'`);
      return [await page.locator('[data-day] dd').first().textContent(), await page.locator('[data-day] p').textContent()];
    };
    const rename =
      '@quay was last seen on 21 January 2020, 00:00:00 UTC. The account was renamed to @pier at an unknown time after that and by 27 January 2020, 00:00:00 UTC.';
    expect(await note(21)).toEqual(['@quay', `${rename} ${next('21 January 2020', '26 January 2020', ' (Location)')}`]);
    const doubt = 'It is not known whether a snapshot of 22 January 2020 had this account.';
    expect(await note(22)).toEqual(['@quay or @pier', `${doubt} ${rename} ${next('22 January 2020', '26 January 2020', ' (Location)')}`]);
    expect(await note(26)).toEqual(['@pier', next('26 January 2020', '27 January 2020', ' (Location)')]);
    expect(await note(27)).toEqual(['@pier', values('27 January 2020', 'Location 3')]);
  });

  it('shows the handle of a day of an account that never changed, except its handle', async () => {
    const page = await open(pageOf('lamp_one'));
    for (const [day, handle] of [
      [2, '@lamp'],
      // that of its newest snapshot
      [3, '@lamp_one'],
    ]) {
      await page.locator('#day').fill(`2020-01-0${day}`);
      await until(page, `document.querySelector('[data-day] h2')?.textContent === 'Profile on ${day} January 2020'`);
      expect(await page.locator('[data-day] dd').allTextContents()).toEqual([handle, 'lamp_one']);
    }
  });

  it('says how many changes were first seen between two days with the same values, unless both are those of one day', async () => {
    const page = await open(`${pageOf('pier')}#on=2020-01-27..2020-01-29`);
    const note = () => page.locator('[data-day] dl + p').textContent();
    await until(page, `document.querySelector('[data-day] dl + p')`);
    expect(await note()).toBe('Both days lead to the same profile, from 27 January 2020. There is nothing to compare.');
    await page.locator('#day').fill('2020-01-26');
    await until(page, `document.querySelector('[data-day] h2').textContent.startsWith('Profile on 26')`);
    // the entry of the rename says: by 27 January
    expect(await note()).toBe(
      'No difference. 3 changes were first seen between these days. 1 rename may have happened between these days.',
    );
  });

  it('says that two days lead to the same profile, and what may have happened between them', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const seen = (day: number, screen_name: string, bio: string) => ({ observed_at: time(day), id: 'r', screen_name, bio });
    await observe(store, [seen(1, 'cliff', 'a'), seen(20, 'cliff', 'a'), seen(90, 'reef', 'b'), seen(120, 'reef', 'c')]);
    const spans = [1, 20, 90, 120].map((day) => time(day).slice(0, 10)).map((day) => ({ from: day, to: day }));
    const url = writeFiles(temporaryFolder(), browseFilesAt(store, { ...SITE, snapshot_days: spans }));
    const same = (day: string) => `Both days lead to the same profile, from ${day}. There is nothing to compare.`;
    const later = '1 change first seen later may have happened between these days.';
    for (const [days, heading, note] of [
      ['2020-04-01..2020-04-20', 'Last known profile, from 31 March 2020', `${same('31 March 2020')} ${later}`],
      [
        '2020-02-01..2020-02-02',
        'Last known profile, from 21 January 2020',
        `${same('21 January 2020')} ${later} 1 rename may have happened between these days.`,
      ],
      [
        '2020-01-20..2020-03-31',
        'Last known profile, from 2 January 2020 compared with profile on 31 March 2020',
        `1 change was first seen between these days. ${later} 1 rename happened between these days.`,
      ],
      [
        '2020-01-21..2020-03-31',
        'Profile on 21 January 2020 compared with profile on 31 March 2020',
        `1 change was first seen between these days. ${later} 1 rename may have happened between these days.`,
      ],
      [
        '2020-03-31..2020-04-30',
        'Profile on 31 March 2020 compared with profile on 30 April 2020',
        '1 change was first seen between these days.',
      ],
      ['2020-05-01..2020-05-02', 'Last known profile, from 30 April 2020', same('30 April 2020')],
    ] as const) {
      const page = await open(`${accountPage('reef')}#on=${days}`, url);
      await until(page, `document.querySelector('[data-day] dl + p')`);
      expect([days, await page.locator('[data-day] h2').textContent()]).toEqual([days, heading]);
      expect(await page.locator('[data-day] dl + p').textContent()).toBe(note);
    }
  });

  it('counts the changes between two days of an older page in the same way when the comparison is opened again', async () => {
    const page = await open(`${nina}#on=2020-01-03..2020-01-05`);
    const note = async () => {
      await until(page, `document.querySelector('[data-day] dl + p')`);
      return page.locator('[data-day] dl + p').textContent();
    };
    const first = await note();
    expect(first).toMatch(/\d+ changes were first seen/);
    await page.goto('about:blank');
    await page.goto(`${fileUrl}${nina}#on=2020-01-03..2020-01-05`);
    expect(await note()).toBe(first);
  });

  it('clears the address with the day, and knows no impossible day', async () => {
    const page = await open(`${nina}#on=2020-01-15`);
    await until(page, `document.querySelector('[data-day] h2')`);
    const status = () => page.locator('[data-day] [role=status]').textContent();
    await page.locator('#day').fill('');
    expect([await page.evaluate('location.hash'), await status()]).toEqual(['', '']);
    await page.locator('#other-day').fill('2020-02-01');
    expect([await page.evaluate('location.hash'), await status()]).toEqual(['', 'Choose the first day, too.']);
    await page.evaluate(`location.hash = '#on=2020-02-30'`);
    await until(page, `document.querySelector('[data-day] [role=status]').textContent === 'There is no such day.'`);
  });

  it('waits for Enter while a day is typed, also on a page of a part', async () => {
    const page = await open(nina.replace('.html', '~p1.html'));
    await page.locator('#day').press('ArrowLeft');
    await page.keyboard.type('01152020');
    expect(await page.evaluate(`[location.hash, document.querySelector('#day').value]`)).toEqual(['', '2020-01-15']);
    expect(await page.locator('[data-day] [role=status]').textContent()).toBe('Press Enter to show the profile.');
    await page.keyboard.press('Enter');
    await until(page, `document.querySelector('[data-day] h2')?.textContent === 'Profile on 15 January 2020'`);
  });

  it('shows the newest months on a narrow screen, also without changes', async () => {
    const site = { ...SITE, snapshot_days: [{ from: '2020-01-01', to: '2021-12-20' }] };
    const quiet = writeFiles(temporaryFolder(), browseFilesAt(join(folder, 'store.db'), site));
    for (const [url, newestCell] of [
      [fileUrl, 'a'],
      [quiet, '[colspan]'],
    ] as const) {
      const page = await open('index.html', url, { viewport: { width: 360, height: 640 } });
      const [newest = 0, end = 0] = await page.evaluate<number[]>(
        `[Array.from(document.querySelectorAll('.heat tbody tr:first-child ${newestCell}')).at(-1), document.querySelector('.scroll')].map((each) => each.getBoundingClientRect().right)`,
      );
      expect(newest).toBeCloseTo(end, 0);
    }
  });

  it('prints the whole first label of the chart', async () => {
    const page = await open('index.html', fileUrl, { viewport: { width: 720, height: 900 } });
    await page.emulateMedia({ media: 'print' });
    const left = await page.evaluate<number>(
      `Math.min(...Array.from(document.querySelectorAll('.chart text'), (each) => each.getBoundingClientRect().left))`,
    );
    expect(left).toBeGreaterThanOrEqual(0);
  });

  it('shows the present page and the shades of a calendar in forced colors', async () => {
    const page = await open('browse/months/2020-01.html');
    await page.emulateMedia({ forcedColors: 'active' });
    const colors = (selector: string, property: string) =>
      page.evaluate<string[]>(
        `[...new Set(Array.from(document.querySelectorAll('${selector}'), (each) => getComputedStyle(each).${property}))]`,
      );
    expect((await colors('.site nav a', 'borderBottomColor')).length).toBe(2);
    expect((await colors('.legend span', 'backgroundColor')).length).toBe(await page.locator('.legend span').count());
    expect(await colors('.calendar td.l4', 'backgroundColor')).toEqual(await colors('.legend .l4', 'backgroundColor'));
  });

  it('says that the profile of a day and the downloads need JavaScript, without it', async () => {
    const page = await open(nina, fileUrl, { javaScriptEnabled: false });
    expect(await page.locator('[data-day]').textContent()).toContain('turn on JavaScript');
    expect(await page.locator('.downloads').textContent()).toBe(
      'For a download as JSON or CSV, turn on JavaScript. How to find these records as JSON in the API and how to cite them',
    );
  });

  it('saves the changes that a filter shows as JSON and CSV, and the address keeps the filter', async () => {
    const page = await open(`${nina}#fB`, `${origin.url}/`);
    expect(await page.locator('#fB').isChecked()).toBe(true);
    // all bios of the account are counted
    expect(await page.locator('label[for=fB]').textContent()).toMatch(/^Bio \d+ of 129 changes, 0 of 1 first value$/);
    await page.locator('label[for=fA]').click();
    expect(page.url()).toMatch(/#fA$/);
    const catchFiles = () =>
      page.evaluate(`URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return 'blob:'; };
      HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };`);
    await catchFiles();
    const saved = async (format: string) => {
      await page.evaluate('window.saved = undefined');
      await page
        .locator('.downloads button')
        .nth(format === 'json' ? 0 : 1)
        .click();
      await until(page, 'window.saved !== undefined');
      expect(await page.evaluate('window.savedName')).toBe(`@nina_k.${format}`);
      return page.evaluate<string>('window.saved');
    };
    const changes: Record<string, string | null>[] = JSON.parse(await saved('json'));
    const label = await page.locator('.downloads').textContent();
    expect(label).toMatch(/^Download the shown entries of this page, without those of other pages: /);
    expect(changes[0]).toMatchObject({
      handle: 'nina_k',
      data_type: 'Bio',
      date: time(129).slice(0, 10),
      time: '00:00:00',
      text: 'maps of 129 places that moved\nand <b>more</b>',
    });
    expect(changes[0]?.['before']).toBe('maps of 128 places that moved\nand <b>more</b>');
    expect(changes[0]?.['permalink']).toBe(`${SITE.base_url}/${nina.replace('.html', '~p3.html')}#r${changes[0]?.['id']}`);
    const lines = (await saved('csv')).split('\r\n');
    expect(lines.length).toBe(changes.length + 2);
    expect(lines[0]).toBe('"id","handle","data_type","date","time","after_date","after_time","before","text","permalink"');
    expect(lines.filter((line) => /(^|,)"[=+@-]/.test(line))).toEqual([]);
    // the oldest records: the handle of that time, and no time for first values
    await page.goto(`${origin.url}/${nina.replace('.html', '~p1.html')}`);
    await catchFiles();
    const oldest: Record<string, string | null>[] = JSON.parse(await saved('json'));
    const columns = ['handle', 'data_type', 'date', 'time', 'after_date', 'after_time', 'text'];
    expect(oldest.slice(-4).map((row) => columns.map((column) => row[column]))).toEqual([
      ['nina_k', 'Bio', '2020-01-02', '00:00:00', '2020-01-01', '00:00:00', 'maps of 1 places that moved\nand <b>more</b>'],
      // no source says when a rename happened
      ['ninette', 'Handle', null, null, '2020-01-01', '00:00:00', '@nina_k'],
      ['ninette', 'Bio', '2020-01-01', null, null, null, 'maps of places'],
      ['ninette', 'Name', '2020-01-01', null, null, null, 'Nina Kowal 🌻'],
    ]);
  });

  it('offers no comparison for a field with one version', async () => {
    const page = await open(pageOf('ni_other1'));
    expect(await page.locator('.own article').count()).toBeGreaterThan(0);
    expect(await page.locator('button.compare').count()).toBe(0);
  });

  it('cites a change by the address of the site, and copies the link', async () => {
    const page = await open(nina.replace('.html', '~p1.html'), `${origin.url}/`);
    await page.locator('.B button.cite').first().click();
    expect(await page.locator('dialog pre').nth(1).textContent()).toContain(
      'Bio of @nina_k, changed between 17 February 2020, 00:00:00 UTC and 18 February 2020, 00:00:00 UTC. ',
    );
    await page.keyboard.press('Escape');
    await page.locator('button.cite').last().click();
    await page.locator('dialog.citation').waitFor();
    const link = await page.locator('dialog pre').first().textContent();
    const text = await page.locator('dialog pre').nth(1).textContent();
    expect(text).toContain('of @ninette (now @nina_k), as first seen on ');
    // the address of a record of the first part is on the main page
    const id = await page.locator('.own article[id]').last().getAttribute('id');
    expect(link).toBe(`${SITE.base_url}/${nina}#${id}`);
    expect(files.get('browse/assets/site.js')).toContain(await page.evaluate('window.palimpsestSite.fingerprint'));
    await page.locator('dialog section button').first().click();
    await until(page, `/^Link (copied|selected)/.test(document.querySelector('dialog [role=status]').textContent)`);
    // and leads back to the record
    await page.goto(`${origin.url}/${nina}#${id}`);
    await page.waitForURL(new RegExp(`nina_k~p1\\.html#${id}$`));
    await until(page, `document.querySelector('article:target')?.id === '${id}'`);
  });

  it.each([
    ['record', 'r', 'nina_k'],
    ['record', 'r', 'ninette'],
    ['rename', 'h', 'nina_k'],
    ['rename', 'h', 'ninette'],
  ])('follows the permalink of a %s that is on an older page now (%s), from the page of %s', async (_, kind, handle) => {
    const page = await open(nina);
    const moved = await page.evaluate<string>(`Array.from(document.querySelectorAll('.moved a[id^=${kind}]')).at(-1).id`);
    await page.goto(`${fileUrl}${pageOf(handle)}#${moved}`);
    await page.waitForURL(/nina_k~p\d+\.html#[rh]\d+$/);
    expect(await page.evaluate('document.querySelector(":target").id')).toBe(moved);
  });

  it('stays on the page of a former handle without JavaScript, because a redirect would drop the fragment', async () => {
    const page = await open(`${pageOf('ninette')}#r1`, fileUrl, { javaScriptEnabled: false });
    expect(await page.locator('[http-equiv=refresh]').count()).toBe(0);
    expect(await page.locator('main').textContent()).toContain('add the end of this address, such as #r123, to');
    await page.locator('.holders a').click();
    await page.waitForURL(/nina_k\.html$/);
    const other = await open(pageOf('ninette'));
    await other.waitForURL(/nina_k\.html$/);
  });

  it('cites a rename', async () => {
    const page = await open(nina);
    await page.goto(
      `${fileUrl}${await page.evaluate<string>(`document.querySelector('.moved a[id^=h]').href.split('/').slice(-4).join('/')`)}`,
    );
    await page.locator('.H button.cite').first().click();
    await page.locator('dialog.citation').waitFor();
    expect(await page.locator('dialog pre').first().textContent()).toMatch(new RegExp(`^${SITE.base_url}/${nina}#h\\d+$`));
    expect(await page.locator('dialog pre').nth(1).textContent()).toContain(
      'Rename of @ninette to @nina_k, after 1 January 2020, 00:00:00 UTC and by 2 January 2020, 00:00:00 UTC. ',
    );
  });

  it('says that a record is not on the page, until the address names another one', async () => {
    const page = await open(`${nina}#r999999`);
    await page.locator('.missing').waitFor();
    expect(await page.locator('.missing').textContent()).toBe(
      'Record 999999 is not on this page. It was removed or moved, or the address is wrong.',
    );
    await page.goto(`${fileUrl}${nina}#fB`);
    await until(page, `document.querySelector('.missing') === null`);
    await page.goto(`${fileUrl}${pageOf('harbour')}#r999999`);
    await page.locator('.missing').waitFor();
    expect(await page.locator('.missing').textContent()).toBe(
      'Record 999999 is not on this page. See who had this handle before: @harbour_old',
    );
    expect(await page.locator('.missing a').getAttribute('href')).toMatch(/harbour_old\.html#r999999$/);
  });

  it('has the record at its address without JavaScript, on the main page and on pages of parts', async () => {
    const linked = [...files].flatMap(([path, html]) =>
      /^browse\/changes\/\d+\.html$/.test(path)
        ? [...html.matchAll(/(?<=href="?\.\.\/\.\.\/)browse\/account\/..\/nina_k[^" >]*#r\d+/g)]
        : [],
    );
    // those of the newest and of the oldest change
    const [newest = '', oldest = ''] = [linked[0]?.[0], linked.at(-1)?.[0]];
    const page = await open(newest, fileUrl, { javaScriptEnabled: false });
    expect(page.url()).toMatch(/nina_k~p3\.html#r\d+$/);
    expect(await page.locator('article:target').textContent()).toContain('maps of 129 places');
    // the name stays in view
    expect(await page.locator('.own > .columns b').textContent()).toContain('@nina_k');
    expect(await page.evaluate(`document.querySelector('.columns').getBoundingClientRect().top`)).toBe(0);
    await page.goto(fileUrl + oldest);
    expect(page.url()).toMatch(/nina_k\.html#r\d+$/);
    const id = oldest.split('#')[1] ?? '';
    expect(await page.locator('.moved a[id^=r]').count()).toBe(50);
    // only the link of this change is shown
    expect(await page.locator('.moved a:visible').count()).toBe(1);
    await page.locator('.moved a:target').press('Enter');
    await page.waitForURL(/nina_k~p1\.html#r\d+$/);
    expect(await page.locator('article:target').getAttribute('id')).toBe(id);

    // a permalink of the main page is the address that the record keeps
    await page.goto(`${fileUrl}${nina}`);
    expect(await page.locator('.moved').isVisible()).toBe(false);
    await page.locator('.own article h4 + a').last().press('Enter');
    await page.waitForURL(/nina_k~p2\.html#r\d+$/);
    expect(await page.locator('article:target').count()).toBe(1);
  });

  it.each([360, 1280])(
    'shows the name, the date and the change at the permalink of the second field of an entry, %s pixels wide',
    async (width) => {
      const page = await open(pageOf('zero'), fileUrl, { javaScriptEnabled: false, viewport: { width, height: 300 } });
      const [website = ''] = await page.evaluate<string[]>(`Array.from(document.querySelectorAll('.own .W:not(.F)'), ({ id }) => id)`);
      for (const path of [pageOf('zero'), pageWith('5 February 2021')]) {
        await page.goto(`${fileUrl}${path}#${website}`);
        const edges = await page.evaluate<number[]>(`(() => {
        const change = document.querySelector('article:target');
        const bar = change.closest('.own')?.querySelector('.columns') ?? change.closest(':has(> h2)').querySelector('h2');
        const date = change.closest('.entry').querySelector('h3');
        return [0, ...[bar, date, change].flatMap((each) => [each.getBoundingClientRect().top, each.getBoundingClientRect().bottom]), 300];
      })()`);
        // one below the other, up to the rounding of pixels
        for (const [index, edge] of edges.entries())
          expect([path, edge]).toEqual([path, expect.closeTo(Math.max(edge, (edges[index - 1] ?? 0) - 2))]);
      }
    },
  );

  it('prints the address of a page on the web, and loads no file for that', async () => {
    const url = origin.url.replace('127.0.0.1', SITE_NAME);
    const page = await open(`${nina}#r1`, `${url}/`);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('.printed').textContent()).toContain(`, ${url}/${nina}#r1, printed on `);
    expect(await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))`)).not.toContain(
      'site.js',
    );
  });

  it.each([
    ['the address of the page without JavaScript', false, 'Press'],
    ['its name, address and date', true, 'Press'],
    ['the same, if nobody publishes the site', true, undefined],
  ])('prints %s, and nothing twice', async (_, javaScriptEnabled, title) => {
    const site = title === undefined ? SITE : { ...SITE, about: { title, publisher: 'Archive' } };
    const printed = textsOf(browseFiles(await storeOf(historyOf([{}])), site));
    const page = await open(accountPage('nina'), writeFiles(temporaryFolder(), printed), { javaScriptEnabled });
    const shown = () =>
      page.evaluate<string[]>(
        `Array.from(document.querySelectorAll('[rel=canonical], .printed')).filter((each) => each.getClientRects().length > 0).map((each) => each.textContent || getComputedStyle(each, '::after').content)`,
      );
    expect(await shown()).toEqual([]);
    // a page that has its address loads no file
    if (title === undefined) await until(page, `window.palimpsestSite`);
    else expect(await page.locator('script[src$="site.js"]').count()).toBe(0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await shown()).toEqual([
      javaScriptEnabled
        ? expect.stringMatching(/^@nina · (Press|palimpsest), https:\/\/example\.org\/api\/browse\/account\/.*\/nina\.html, printed on \d/)
        : `"${SITE.base_url}/${accountPage('nina')}"`,
    ]);
  });

  it.each([true, false])('prints nothing that only a screen can use, JavaScript: %s', async (javaScriptEnabled) => {
    const page = await open(nina, fileUrl, { javaScriptEnabled });
    if (javaScriptEnabled) {
      await page.locator('button.cite').first().click();
      await page.locator('dialog.citation').waitFor();
    }
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('main :is(h1, h4):visible').count()).toBeGreaterThan(10);
    const onScreen = ':is(dialog, .own h4 + a, button, input, .downloads, [data-day], nav):visible';
    expect(await page.locator(onScreen).count()).toBe(0);
    await page.goto(`${fileUrl}index.html`);
    expect(await page.locator('article a[href="https://archive.example/other"]:visible').count()).toBeGreaterThan(0);
  });

  it.each([
    ['lamp', 'lamp_one'],
    ['harbour', 'harbour_old'],
  ])('keeps the fragment in the link from the handle %s to the account %s, which had it', async (handle, holder) => {
    const page = await open(pageOf(holder));
    const id = await page.locator('.own article').last().getAttribute('id');
    await page.goto(`${fileUrl}${pageOf(handle)}#${id}`);
    await page.locator(`main a[href*="/${holder}.html"]`).first().click();
    await page.waitForURL(new RegExp(`/${holder}\\.html#${id}$`));
    expect(await page.locator(':target').getAttribute('id')).toBe(id);
  });
});
