import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

/** HTML forbids all of these characters but U+FFFD, which it shows in place of the others. */
const HANDLES = ['\u0080', '\u0085', '\u009f', '\ufffd', '\ufffe', '\uffff'].map((character) => `mia${character}`);

it('accounts whose handles look the same have pages of their own, in a folder and in a ZIP', async () => {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  const input = HANDLES.map((screen_name) => `${JSON.stringify({ observed_at: '2024-01-01T00:00:00Z', screen_name, bio: screen_name })}\n`);
  await palimpsestJson(['observe', '-', '--store', store], { input: input.join('') });
  for (const out of [join(folder, 'out'), join(folder, 'out.zip')]) {
    await palimpsestJson(['build', '--html', '--store', store, '--out', out]);
    expect(await palimpsestJson(['verify', out, '--store', store])).toMatchObject({ violation_count: 0 });
  }
  const pages = [...filesIn(join(folder, 'out')).keys()].filter((path) => /^browse\/account\/.*\.html$/.test(path));
  expect(pages).toHaveLength(HANDLES.length);
});
