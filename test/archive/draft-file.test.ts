import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { write, writeDraft } from '../../src/archive/draft-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

it.each([0, 1])('a file that closed after an error is not written, and the next of %s writes fails', async (writes) => {
  const path = join(temporaryFolder(), 'file');
  let written = 0;
  const draft = writeDraft(path, async (file) => {
    file.destroy(FULL);
    await once(file, 'close').catch(() => {});
    for (; written < writes; written += 1) await write(file, Buffer.from('small'));
    return 'done';
  });
  await expect(draft).rejects.toMatchObject({ code: 'file-system', place: { file: path }, found: FULL.message });
  expect(written).toBe(0);
  expect(readdirSync(dirname(path))).toEqual([]);
});
