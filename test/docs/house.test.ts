import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the linter says of a file of one room that imports something. */
function lint(room: string, specifier: string): string {
  const folder = temporaryFolder();
  const file = `src/${room}/planted.ts`;
  mkdirSync(join(folder, 'src', room), { recursive: true });
  copyFileSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
  writeFileSync(join(folder, file), `import { planted } from '${specifier}';\n\nexport const found: unknown = planted;\n`);
  const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'lint', file], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout + stderr).toContain('Checked 1 file');
  return stdout + stderr;
}

describe('the one-way flow', () => {
  it.each([
    ['contract', '../store/store.ts'],
    ['sources', '../store/batch.ts'],
    ['store', '../pages/page.ts'],
    ['pages', '../tree/layout.ts'],
    ['pages', '../sources/items.ts'],
    ['tree', '../serve/server.ts'],
    ['tree', '../commands/build.ts'],
    ['verify', '../serve/server.ts'],
    ['serve', '../verify/verify.ts'],
    ['serve', '../cli.ts'],
    ['rewrite', '../contract/json.ts'],
    ['rewrite', 'node:fs'],
    ['rewrite', 'commander'],
    ['rewrite', './hosts/nginx.ts'],
    ['rewrite/hosts', '../../contract/failure.ts'],
    ['rewrite/hosts', 'node:fs'],
    ['pages', 'better-sqlite3'],
    ['tree', 'http-server'],
    ['store', '@commander-js/extra-typings'],
  ])('keeps %s from importing %s', (room, specifier) => expect(lint(room, specifier)).toContain('noRestrictedImports'));

  it.each([
    ['store', '../sources/items.ts'],
    ['pages', '../store/store.ts'],
    ['tree', '../pages/page.ts'],
    ['serve', '../rewrite/resolve.ts'],
    ['verify', '../store/store.ts'],
    ['commands', '../tree/build.ts'],
    ['rewrite', './resolve.ts'],
    ['rewrite/hosts', '../resolve.ts'],
    ['store', 'better-sqlite3'],
  ])('lets %s import %s', (room, specifier) => expect(lint(room, specifier)).not.toContain('noRestrictedImports'));
});
