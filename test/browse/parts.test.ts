import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Browse } from '../../src/browse/browse.ts';
import { NOTHING_RENDERED, partOf, type RenderedState } from '../../src/browse/parts.ts';
import { ABOUT, accountFeed, accountPage, accountPath, accountPlace, changesPage, HOME, NOT_FOUND_FILE } from '../../src/browse/paths.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { histories } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { observe, type Snapshot } from '../support/snapshots.ts';
import { browseFiles, browseFilesAt, historyOf, SITE, storeOf, textsOf } from './small-site.ts';

describe('the parts of the browse files', () => {
  it('have distinct names, each path belongs to the part that yields it, and nothing is rendered again', async () => {
    await fc.assert(
      fc.asyncProperty(histories(40), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const browse = new Browse(store, { ...SITE, page_size: 1, account_page_size: 1, account_feeds: true });
        const names = browse.parts.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const part of browse.parts) for (const { path } of browse.files(part, NOTHING_RENDERED)) expect(partOf(path)).toBe(part.name);
        const { number, records } = store.revision;
        const unchanged = browseFiles(store, SITE, { revision: number, records, names: true });
        expect([...unchanged.keys()]).toEqual(
          [...browseFiles(store).keys()].filter((file) => !/^browse\/(search|names|account)\//.test(file)),
        );
        expect([...textsOf(unchanged).keys()].filter((path) => !path.startsWith('browse/assets/'))).toEqual([NOT_FOUND_FILE, ABOUT]);
      }),
      { numRuns: times('generated histories', 4, 50) },
    );
  });

  it('render no page of changes again that other pages followed before, and no search index with the same names', async () => {
    const store = await storeOf(historyOf(Array(450).fill({})));
    const rendered = (state: RenderedState) => [...textsOf(browseFiles(store, SITE, state)).keys()];
    const changes = (state: RenderedState) => rendered(state).flatMap((path) => /changes\/(\d.*)/.exec(path)?.[1] ?? []);
    expect(changes(NOTHING_RENDERED).slice(0, 5)).toEqual(['90.html', '89.html', '88.html', '87.html', '88.atom']);
    // 440 records have 88 pages: page 88 got a link to the next one, and was not in an archive
    expect(changes({ revision: 0, records: 440, names: true }).join()).toBe('90.html,89.html,88.html,87.html,88.atom');
    expect(rendered({ revision: 0, records: 350, names: true }).filter((path) => path.startsWith('browse/search/'))).toEqual([]);
    expect(rendered({ revision: 0, records: 350, names: false })).toContain('browse/search/index.js');
    store.close();
  });

  it('render only what a change can affect', async () => {
    const site = { ...SITE, account_feeds: true } as const;
    const path = join(temporaryFolder(), 'store.db');
    const snapshot = (screen_name: string, id: string, bio: string, day: number) => {
      return { observed_at: `2024-03-0${day}T00:00:00Z`, screen_name, id, bio };
    };
    await observe(path, [snapshot('nina', '1', 'a', 1), snapshot('omar', '2', 'b', 1)]);
    const before = Store.open(path);
    const [files, since] = [browseFiles(before, site), before.revision.number];
    before.close();
    before.close();
    await observe(path, [snapshot('nina', '1', 'new', 2)]);
    const after = Store.open(path);
    const rendered = browseFiles(after, site, { revision: since, records: 0, names: false });
    const all = browseFiles(after, site);
    after.close();
    for (const file of [accountPage('omar'), accountFeed('omar')]) expect(rendered.get(file)).toBeUndefined();
    expect(rendered.get(accountFeed('nina'))).toContain('<content>new</content>');
    expect(rendered.get(accountPage('nina'))).toContain('<ins>new</ins>');
    // what is not rendered is as it was
    for (const [file, text] of rendered) expect([file, all.get(file)]).toEqual([file, text ?? files.get(file)]);
    for (const file of [HOME, changesPage(1)]) {
      expect(rendered.get(file)).toEqual(all.get(file));
      expect(rendered.get(file)).not.toEqual(files.get(file));
    }
  });

  it('lead from a former handle to the account, and name the former holder of a handle', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const at = (screen_name: string, id: string, day: number) => {
      return { observed_at: `2024-03-0${day}T00:00:00Z`, screen_name, id, bio: screen_name };
    };
    await observe(path, [at('nina_old', '1', 1), at('taken', '2', 1), at('nina', '1', 3), at('moved', '2', 3), at('taken', '3', 4)]);
    await observe(path, [at('lamp', '4', 5), at('one', '4', 6), at('lamp', '5', 7), at('two', '5', 8)]);
    const files = browseFilesAt(path);
    // the last holder first
    expect(files.get(accountPage('lamp'))).toMatch(/@two<.*@one</s);
    expect(files.has(accountPage('lamp', 1))).toBe(false);
    const former = files.get(accountPage('nina_old'));
    const target = `../../../${accountPage('nina')}`;
    expect(former).toContain(`<a href="${target}" data-holder><bdi>@nina</bdi></a>`);
    expect(files.get(accountPage('nina'))).toContain('<bdi>@nina_old</bdi>, last seen on');
    expect(files.get(accountPage('taken'))).toMatch(
      /@moved<\/bdi><\/a>, was last seen with this handle on .*An older link to this page can be about that account/,
    );
  });

  it('keep the addresses of the records of an account that was renamed', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const bios = (screen_name: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({
        observed_at: new Date(Date.UTC(2024, 0, 1) + (from + n) * 86_400_000).toISOString(),
        screen_name,
        id: '1',
        // so long that the bytes decide where a part ends
        bio: `${'long '.repeat(100)}${from + n}`,
      }));
    const filesAfter = async (snapshots: readonly Snapshot[]) => {
      await observe(path, snapshots);
      return browseFilesAt(path);
    };
    const [old, present] = ['a', 'a_handle_that_is_very_much_longer_than_before'];
    const before = await filesAfter(bios(old, 0, 130));
    const after = await filesAfter(bios(present, 130, 230));
    const recordsOf = (html = '') => [...html.matchAll(/<article id=(r\d+)/g)].map(([, id]) => id ?? '');
    const parts = [...before.keys()].filter((file) => file.startsWith(accountPath(accountPlace(old))) && /~p\d+\.html$/.test(file)).length;
    expect(parts).toBeGreaterThan(3);
    for (let part = 1; part <= parts; part += 1) {
      const page = after.get(accountPage(present, part));
      expect(recordsOf(page)).toEqual(expect.arrayContaining(recordsOf(before.get(accountPage(old, part)))));
      const leading = after.get(accountPage(old, part));
      const target = `../../../${accountPage(present, part)}`;
      expect(leading).toContain(`<a href="${target}" data-holder>`);
    }
    expect(after.has(accountPage(old, parts + 1))).toBe(false);
    // the addresses of the first part are on the main page, and its own page links to them
    const firstPage = after.get(accountPage(present, 1));
    for (const id of recordsOf(firstPage)) {
      expect(after.get(accountPage(present))).toContain(` id=${id} `);
      expect(firstPage).toContain(`</h4> <a href="${present}.html#${id}">`);
    }

    // another account with the handle has few records: the addresses of the older ones still lead on
    const another = await filesAfter([{ observed_at: '2026-01-01T00:00:00Z', screen_name: old, id: '2', bio: 'short' }]);
    expect(another.get(accountPage(old))).toContain('short');
    for (const part of [1, 2]) expect(another.get(accountPage(old, part))).toContain(`href="../../../${accountPage(present, part)}"`);
  });
});
