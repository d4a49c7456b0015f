import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Growing, publishedIn, publishJson } from '../../publish/growing.ts';
import { filesIn } from '../../support/folder.ts';
import { palimpsestHere } from '../../support/palimpsest.ts';
import { mountDisk } from '../../whole/disks.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences } from '../../whole/trees.ts';

const folder = folderOfFile();
let history: Growing;
beforeAll(async () => {
  history = await Growing.of(folder, 'tree', { records: 30, accounts: 5 });
});

async function refusal(target: string): Promise<unknown> {
  const { code, stdout } = await palimpsestHere(['publish', target, '--out', history.out, '--json']);
  return { code, ...JSON.parse(stdout) };
}

describe('a publish to a folder that cannot be written', () => {
  it('reports a full disk, and completes when the disk has space', async (context) => {
    const { folder: site, remount } = mountDisk(context, join(folder, 'small'), 'size=64k');
    const hint = expect.stringContaining('the free space');
    expect(await refusal(site)).toMatchObject({ code: 1, error: { code: 'file-system', hint } });
    expect([...filesIn(site).keys()].filter((path) => path.startsWith('.'))).toEqual([]);
    remount('size=10m');
    await publishJson(['publish', site, '--out', history.out]);
    expect(differences(publishedIn(site), history.files())).toEqual([]);
  });

  it('reports a read-only disk', async (context) => {
    const { folder: site, remount } = mountDisk(context, join(folder, 'read only'), 'size=10m');
    remount('ro');
    for (const target of [site, join(site, 'below')]) {
      const hint = expect.stringContaining('permissions');
      expect(await refusal(target)).toMatchObject({ code: 1, error: { code: 'file-system', hint } });
    }
  });
});

it.each(['publish.json', 'build.json', 'rest/data/index.json'])(
  'refuses a pipe in the place of %s and does not wait for it',
  async (path) => {
    const site = join(folder, `pipe ${path.replaceAll('/', ' ')}`);
    mkdirSync(join(site, 'rest/data'), { recursive: true });
    execFileSync('mkfifo', [join(site, path)]);
    expect(await refusal(site)).toMatchObject({ code: 3, error: { code: 'not-ours', file: join(site, path) } });
  },
);
