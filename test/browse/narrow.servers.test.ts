import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountPage, accountsPage, HOME, namesPage } from '../../src/browse/paths.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import type { Snapshot } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type Browser, CHROMIUM, launch, type Page, until, visit } from './chromium.ts';

/** A handle and a name of 50 characters, as long as Twitter allows names to be. */
const [HANDLE, NAME] = ['a_very_long_handle_that_has_fifty_characters_000050', 'W'.repeat(50)];

/** One year in which August has no snapshot. Names have each length that a narrow screen can have space for. */
function snapshots(): readonly Snapshot[] {
  return ['06-10', '07-05', '07-06', '09-10'].flatMap((day, n) => {
    const seen = { observed_at: `2023-${day}T04:00:00Z`, bio: '' };
    const others = Array.from({ length: 30 }, (_, length) => ({ screen_name: `bacon_${length}`, display_name: 'n'.repeat(length + 5) }));
    return [
      { ...seen, id: 'long', screen_name: HANDLE, display_name: NAME, bio: `Editor ${n}` },
      { ...seen, id: 'rtl', screen_name: 'nina', display_name: 'مريم' },
      ...others.map((other) => ({ ...seen, id: other.screen_name, ...other })),
    ];
  });
}

/** Returns the boxes of the lines of an element. */
const LINES = `const lines = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(({ width }) => width > 0);
};`;

describe.skipIf(CHROMIUM.skip)(`pages for narrow screens and for chosen colors, in Chromium ${CHROMIUM.reason}`, () => {
  const folder = folderOfFile();
  let site = '';
  let browser: Browser;

  beforeAll(async () => {
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    const input = snapshots().map((each) => JSON.stringify(each));
    await palimpsestJson(['observe', '-', '--store', store], { input: input.join('\n') });
    await palimpsestJson(['build', '--html', '--store', store, '--out', out, '--base-url', 'https://example.org']);
    site = `${pathToFileURL(out).href}/`;
    browser = await launch();
  });
  afterAll(() => browser.close());

  const open = (path: string, width: number, javaScriptEnabled = true): Promise<Page> =>
    visit(browser, site + path, site, { viewport: { width, height: 800 }, javaScriptEnabled });

  it.each([360, 768])('the chosen version and what to do next are whole at a width of %d', async (width) => {
    const page = await open(accountPage(HANDLE), width);
    await page.locator('article.B button.compare').first().click();
    await until(page, `document.querySelector('.columns b > span').textContent.endsWith('Compare it with another version.')`);
    const isWhole = `(() => { ${LINES}
      const hint = document.querySelector('.columns b > span');
      const { top, bottom, left, right } = hint.getBoundingClientRect();
      const isInside = (line) => line.top >= top && line.bottom <= bottom && line.left >= left && line.right <= right;
      return lines(hint).every(isInside) && top > 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && getComputedStyle(hint).overflow === 'visible'
        && document.elementFromPoint((left + right) / 2, bottom - 5) === hint;
    })()`;
    expect(await page.evaluate(isWhole)).toBe(true);
  });

  it.each([360, 768])('a long handle is whole in the heading, and the bar above the entries shows it, at a width of %d', async (width) => {
    const page = await open(accountPage(HANDLE), width);
    const isWhole = `(() => { ${LINES}
      const { bottom, right } = document.querySelector('h1').getBoundingClientRect();
      return lines(document.querySelector('h1 small bdi')).every((line) => line.bottom <= bottom && line.right <= right);
    })()`;
    expect(await page.evaluate(isWhole)).toBe(true);
    const shown = `(() => {
      const { left, right } = document.querySelector('.columns small').getBoundingClientRect();
      return Math.min(right, document.querySelector('.columns b').getBoundingClientRect().right) - left;
    })()`;
    expect(await page.evaluate(shown)).toBeGreaterThan(200);
  });

  it('without JavaScript, a narrow table of months begins with the first month that has numbers', async () => {
    const page = await open(HOME, 360, false);
    const seen = `(() => {
      const { left, right } = document.querySelector('.scroll').getBoundingClientRect();
      return Array.from(document.querySelectorAll('.heat thead th'))
        .filter((head) => head.offsetWidth > 0 && head.getBoundingClientRect().left >= left && head.getBoundingClientRect().right <= right)
        .map((head) => head.textContent);
    })()`;
    expect(await page.evaluate(seen)).toEqual(['Year', 'Jun', 'Jul', 'Aug', 'Sep']);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.evaluate(seen)).toHaveLength(13);
  });

  it('in narrow lists, there is space between a name, its handle and its number', async () => {
    for (const path of [accountsPage(), namesPage()]) {
      const page = await open(path, 360);
      const least = `(() => { ${LINES}
        const gaps = Array.from(document.querySelectorAll('tbody tr')).flatMap((row) => {
          const texts = Array.from(row.querySelectorAll('bdi, .n'), lines);
          return texts.flatMap((ones, index) => ones.flatMap((one) => texts.slice(index + 1).flat()
            .filter(({ top, left }) => Math.abs(top - one.top) < 8 && left >= one.left)
            .map(({ left }) => left - one.right)));
        });
        return gaps.length > 20 && Math.min(...gaps);
      })()`;
      expect(await page.evaluate(least)).toBeGreaterThan(7);
    }
  });

  it.each([
    ['light', undefined],
    ['dark', undefined],
    ['light', 'active'],
    ['dark', 'active'],
  ] as const)(
    'a month without a snapshot can be seen in the chart and in the table: %s, forced colors: %s',
    async (colorScheme, forcedColors) => {
      const page = await open(HOME, 1280);
      await page.emulateMedia(forcedColors === undefined ? { colorScheme } : { colorScheme, forcedColors });
      // the contrast with the page, as WCAG defines it
      const contrast = (selector: string, color: string, opacity: string) =>
        page.evaluate<number>(`(() => {
        const style = getComputedStyle(document.querySelector('${selector}'));
        const canvas = document.createElement('canvas').getContext('2d');
        const luminance = () => {
          canvas.fillRect(0, 0, 1, 1);
          const linear = Array.from(canvas.getImageData(0, 0, 1, 1).data, (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        };
        canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
        const page = luminance();
        canvas.globalAlpha = Number(style.${opacity}) * Number(style.opacity);
        canvas.fillStyle = style.${color};
        const own = luminance();
        return (Math.max(page, own) + 0.05) / (Math.min(page, own) + 0.05);
      })()`);
      expect(await contrast('.chart g > path', 'fill', 'fillOpacity')).toBeGreaterThan(1.4);
      expect(await contrast('.heat td[colspan]', 'backgroundColor', 'opacity')).toBeGreaterThan(1.4);
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.pages > .gap')).borderTopWidth`)).toBe('0px');
    },
  );
});
