import { expect, it } from 'vitest';
import { changesPage, HOME, SITE_SCRIPT } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { browseFiles, historyOf, SITE, storeOf } from './small-site.ts';

/** Every third record is a name, every hundredth a website, and every seventh one has no value before it. */
const RECORDS = Array.from({ length: 1050 }, (_, n): Partial<ChangeRecord> => {
  const data_type = n % 100 === 0 ? 'Website' : n % 3 === 0 ? 'Name' : 'Bio';
  return n % 7 === 0 ? { data_type, previous: null } : { data_type };
});

/** Returns the files of a site with the oldest records, two on a page. */
async function filesOf(records: number): Promise<Map<string, string | undefined>> {
  const store = await storeOf(historyOf(RECORDS.slice(0, records)));
  return browseFiles(store, { ...SITE, page_size: 2 });
}

it('the counts by field are those of the pages of changes, and a full file of them never changes', async () => {
  const [files, before] = [await filesOf(1050), await filesOf(1010)];
  const parsed = (path: string): Record<string, number[]> => JSON.parse(files.get(path)?.replace(/^palimpsestFields = |;\n$/g, '') ?? '');
  const newest = (): Record<string, number[]> => JSON.parse(/"counts":(\{.*?\})/.exec(files.get(SITE_SCRIPT) ?? '')?.[1] ?? '');
  const [first, second] = [parsed('browse/fields/1.js'), newest()];
  expect(files.get('browse/fields/1.js')).toBe(before.get('browse/fields/1.js'));
  // the newest counts change with each record
  expect(files.has('browse/fields/2.js')).toBe(false);
  expect(files.get(SITE_SCRIPT)).not.toBe(before.get(SITE_SCRIPT));
  const shown = (page: number) =>
    Object.fromEntries(
      [...(files.get(changesPage(page)) ?? '').matchAll(/for=f([B-Z])>[^<]* <small>(.*?)</g)].map(([, choice, counts]) => [
        choice,
        (counts?.match(/\d+/g) ?? []).reduce((sum, count) => sum + Number(count), 0),
      ]),
    );
  for (const page of [1, 2, 500, 501, 525]) {
    const file = page > 500 ? second : first;
    const counts = Object.fromEntries(Object.entries(file).map(([choice, list]) => [choice, list[page > 500 ? page - 500 : page]]));
    expect([page, counts]).toEqual([page, shown(page)]);
  }
  const older = (choice: string) => first[choice]?.slice(1).reduce((sum, count) => sum + count, 0);
  for (const choice of ['C', 'F', 'N', 'B', 'L', 'W', 'V']) expect([choice, second[choice]?.[0]]).toEqual([choice, older(choice)]);

  // the home page leads to the newest page with a website: that of record 1001
  expect(files.get(HOME)).toContain('<a href="browse/changes/501.html#fW">Website <small>9 changes, 2 first values</small></a>');
  expect(files.get(HOME)).not.toContain('#fL');
});
