import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { historyPicture } from './history-picture.ts';

const ROOT = new URL('../../', import.meta.url);
const PICTURE = fileURLToPath(new URL('docs/history.svg', ROOT));

it('the picture in the README is the output of history (`npx vitest run --update` draws it anew)', async () => {
  const cwd = temporaryFolder();
  const sample = fileURLToPath(new URL('data/sample-snapshots.ndjson', ROOT));
  expect(await palimpsest(['observe', sample], { cwd })).toMatchObject({ code: 0 });
  const { stdout } = await palimpsest(['history', 'nina_k', '--field', 'Bio'], { cwd });
  const picture = historyPicture('palimpsest history nina_k --field Bio', stdout);
  await expect(picture).toMatchFileSnapshot(PICTURE);
});
