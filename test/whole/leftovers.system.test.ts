import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';
import { mountDisk } from './disks.ts';
import { folderOfFile } from './stores.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));
const folder = folderOfFile();

beforeAll(async () => {
  await palimpsestJson(['import', SAMPLE], { cwd: folder });
  await palimpsestJson(['build', '--base-url', 'https://example.org'], { cwd: folder });
});

const COMMANDS: readonly (readonly [name: string, args: readonly string[], path: string])[] = [
  ['export parquet', ['--to'], 'a/tables'],
  ['import', [SAMPLE, '--store'], 'data/new.db'],
  ['export csv', ['--to'], 'a/tables'],
  ['store push', [], 'a/backup'],
  ['archive bag', ['--to'], 'bag'],
  ['archive wacz', ['--to'], 'site.wacz'],
];

for (const [name, args, path] of cases(COMMANDS)) {
  it(`a full disk makes ${name} fail with the path, and leaves no file or folder`, async (context) => {
    const disk = mountDisk(context, join(folder, `full ${name}`), 'size=16k');
    // a push needs space for its first file, the others begin with one that is larger than what is free
    writeFileSync(join(disk.folder, 'other'), Buffer.alloc(name === 'store push' ? 16_384 : 12_000));
    const command = [...name.split(' '), ...args, join(disk.folder, path), '--json'];
    const { code, stdout, stderr } = await palimpsest(command, { cwd: folder });
    const error = { code: 'file-system', file: expect.stringContaining(disk.folder) };
    expect({ code, error: JSON.parse(stdout || '{}').error }, stderr).toMatchObject({ code: 1, error });
    expect(readdirSync(disk.folder)).toEqual(['other']);
  });
}
