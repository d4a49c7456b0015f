import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../src/browse/part-names.ts';
import { Browse } from '../../src/browse/parts.ts';
import { accountPage, changesPage, HOME } from '../../src/browse/paths.ts';
import { NOTHING_RENDERED, type RenderedState } from '../../src/browse/rendered-state.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { histories } from '../support/histories.ts';
import { observe } from '../support/snapshots.ts';
import { browseFiles, htmlOf, SITE, storeOf } from './small-site.ts';

describe('the parts of the browse files', () => {
  it('have distinct names, and each path belongs to the part that yields it', async () => {
    await fc.assert(
      fc.asyncProperty(histories(40), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const browse = new Browse(store, { ...SITE, page_size: 1, account_page_size: 1 });
        const names = browse.parts.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const part of browse.parts) for (const { path } of browse.files(part, NOTHING_RENDERED)) expect(partOf(path)).toBe(part.name);
        store.close();
      }),
      { numRuns: 5 },
    );
  });

  it('have the same files in the same order if nothing is rendered', async () => {
    await fc.assert(
      fc.asyncProperty(histories(40), async (history) => {
        fc.pre(history.records.length > 0);
        const store = await storeOf(history);
        const { number, records } = store.revision;
        const unchanged = browseFiles(store, SITE, { revision: number, records, search: true });
        expect([...unchanged.keys()]).toEqual([...browseFiles(store).keys()].filter((file) => !file.startsWith('browse/search/')));
        expect([...unchanged].filter(([path, bytes]) => bytes !== undefined && !path.startsWith('browse/assets/'))).toEqual([]);
        store.close();
      }),
      { numRuns: 5 },
    );
  });

  it('render no archive again that other archives followed before, and no search index with the same names', async () => {
    const records = Array.from({ length: 450 }, (_, index) => ({
      ...{ id: 450 - index, account: 'nina', data_type: 'Bio' as const, previous: index === 449 ? null : 449 - index, text: `${index}` },
      ...{ first_encountered_date: '2024-03-01T00:00:00Z', diff_html: '', web_archive_url: null },
    }));
    const store = await storeOf({ records, accounts: [] });
    const rendered = (state: RenderedState) =>
      [...browseFiles(store, SITE, state)].flatMap(([path, bytes]) => (bytes === undefined ? [] : [path]));
    const archives = (paths: readonly string[]) =>
      paths.filter((path) => path.startsWith('browse/changes/archive-')).map((path) => path.slice(23));
    expect(archives(rendered(NOTHING_RENDERED))).toEqual(['4.atom', '3.atom', '2.atom', '1.atom']);
    // 350 records have three archives, and the third one has got a link to the fourth
    expect(archives(rendered({ revision: 0, records: 350, search: true }))).toEqual(['4.atom', '3.atom']);
    expect(rendered({ revision: 0, records: 350, search: true }).filter((path) => path.startsWith('browse/search/'))).toEqual([]);
    expect(rendered({ revision: 0, records: 350, search: false })).toContain('browse/search/index.js');
    store.close();
  });

  it('render only what a change can affect', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const snapshot = (screen_name: string, id: string, bio: string, day: number) => ({
      observed_at: `2024-03-0${day}T00:00:00Z`,
      screen_name,
      id,
      bio,
    });
    await observe(path, [snapshot('nina', '1', 'a', 1), snapshot('omar', '2', 'b', 1)]);
    const before = Store.open(path);
    const [files, since] = [browseFiles(before), before.revision.number];
    before.close();
    await observe(path, [snapshot('nina', '1', 'new', 2)]);
    const after = Store.open(path);
    const rendered = browseFiles(after, SITE, { revision: since, records: 0, search: false });
    expect(rendered.get(accountPage('omar'))).toBeUndefined();
    expect(htmlOf(rendered, accountPage('nina'))).toContain('<ins>new</ins>');
    const all = browseFiles(after);
    // what is not rendered is as it was
    for (const [file, bytes] of rendered) expect([file, all.get(file)]).toEqual([file, bytes ?? files.get(file)]);
    for (const file of [HOME, changesPage(1)]) {
      expect(rendered.get(file)).toEqual(all.get(file));
      expect(rendered.get(file)).not.toEqual(files.get(file));
    }
    after.close();
  });

  it('lead from a former handle to the account, and name the former holder of a handle', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const at = (screen_name: string, id: string, day: number) => ({
      observed_at: `2024-03-0${day}T00:00:00Z`,
      screen_name,
      id,
      bio: screen_name,
    });
    await observe(path, [at('nina_old', '1', 1), at('taken', '2', 1), at('nina', '1', 3), at('moved', '2', 3), at('taken', '3', 4)]);
    const store = Store.open(path);
    const files = browseFiles(store);
    const former = htmlOf(files, accountPage('nina_old'));
    const target = `../../../${accountPage('nina')}`;
    expect(former).toContain(`<meta http-equiv=refresh content="0; url=${target}">`);
    expect(former).toContain(`<a href="${target}" data-holder><bdi>@nina</bdi></a>`);
    expect(htmlOf(files, accountPage('nina'))).toContain('<bdi>@nina_old</bdi> until');
    expect(htmlOf(files, accountPage('taken'))).toMatch(/@moved<\/bdi><\/a> had this handle until/);
    store.close();
  });
});
