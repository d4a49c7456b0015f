import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { write, writeDraft } from '../../src/archive/draft-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

it('a file that closed after an error, while the work went on, is not written', async () => {
  const path = join(temporaryFolder(), 'file');
  const written = writeDraft(path, async (file) => {
    file.destroy(FULL);
    await once(file, 'close').catch(() => {});
    return 'done';
  });
  await expect(written).rejects.toMatchObject({ code: 'file-system', place: { file: path }, found: FULL.message });
  expect(readdirSync(dirname(path))).toEqual([]);
});

it('the next write to a file that closed after an error fails', async () => {
  const path = join(temporaryFolder(), 'file');
  let writes = 0;
  const written = writeDraft(path, async (file) => {
    file.destroy(FULL);
    await once(file, 'close').catch(() => {});
    for (; writes < 3; writes += 1) await write(file, Buffer.from('small'));
  });
  await expect(written).rejects.toMatchObject({ code: 'file-system', found: FULL.message });
  expect(writes).toBe(0);
});
