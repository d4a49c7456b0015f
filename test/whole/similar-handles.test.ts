import { join } from 'node:path';
import { expect, it } from 'vitest';
import { byteText } from '../../src/browse/markup.ts';
import { accountFeed, accountPage } from '../../src/browse/paths.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { filesInZip } from '../zip/zips.ts';

/** Pages show the last character of each as U+FFFD, or nothing. */
const HANDLES = ['\u0080', '\u0085', '\u009f', '\ufffd', '\ufffe', '\uffff', '\ufdd0', '\u{10ffff}'].map((character) => `mia${character}`);

const FORMER = 'old\u0085';

const seen = (day: number, index: number, screen_name: string) =>
  `${JSON.stringify({ observed_at: `2024-01-0${day}T00:00:00Z`, id: `id-${index}`, screen_name, bio: `person ${index} on day ${day}` })}\n`;

it('handles that look the same have pages, feeds and links of their own, in a folder and in a ZIP', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const run = (args: readonly string[], input = '') => palimpsestJson([...args, '--store', at('store.db')], { input });
  const built = async () => {
    for (const out of ['out', 'history.zip']) {
      await run(['build', '--out', at(out), '--html', '--account-feeds']);
      await run(['verify', '--out', at(out)]);
    }
    const files = filesIn(at('out'));
    expect(filesInZip(at('history.zip'))).toEqual(files);
    return files;
  };
  await run(
    ['observe', '-'],
    [seen(1, 0, FORMER), seen(1, 1, 'old\ufffd'), ...HANDLES.slice(1).map((handle, n) => seen(1, n + 2, handle))].join(''),
  );
  await built();
  // the second build renders only what changed
  await run(['observe', '-', '--min-accounts', '0%'], seen(2, 0, HANDLES[0] ?? ''));
  const files = await built();
  const textOf = (path: string) => files.get(path)?.toString() ?? '';
  for (const [index, handle] of HANDLES.entries()) {
    const [page, feed] = [accountPage(byteText(handle)), accountFeed(byteText(handle))];
    const person = index === 0 ? 0 : index + 1;
    for (const path of [page, feed]) expect(new Set(textOf(path).match(/person \d/g))).toEqual(new Set([`person ${person}`]));
    // lists and changes link to it, and the search knows its place
    for (const path of ['browse/accounts/all.html', 'index.html']) expect(textOf(path)).toContain(page);
    const place = page.replace(/^browse.account.|.html$/g, '').replace('/', '');
    const scripts = [...files].filter(([path]) => path.startsWith('browse/search/')).map(([, bytes]) => bytes.toString());
    expect(scripts.join('')).toContain(`["${handle}","${place}"`);
  }
  expect(textOf(accountPage(byteText(FORMER)))).toContain(`../../../${accountPage(byteText(HANDLES[0] ?? ''))}" data-holder`);
  expect(textOf(accountPage(byteText('old\ufffd')))).not.toContain('data-holder');
  await run(['remove', FORMER, '--yes']);
  const left = await built();
  expect([...left].filter(([, bytes]) => bytes.includes('person 0')).map(([path]) => path)).toEqual([]);
});
