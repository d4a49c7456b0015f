import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What the linter says of a file of one room (`planted.ts` unless it is named) that imports something. */
function lint(room: string, specifier: string): string {
  const folder = temporaryFolder();
  const file = room.endsWith('.ts') ? `src/${room}` : `src/${room}/planted.ts`;
  mkdirSync(join(folder, dirname(file)), { recursive: true });
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
    ['contract', '../diff/diff-html.ts'],
    ['sources', '../store/batch.ts'],
    ['sources/formats', '../../store/batch.ts'],
    ['sources/formats', '../../cli.ts'],
    ['sources/formats', 'parse5'],
    ['sources/formats/mastodon.ts', 'better-sqlite3'],
    ['sources/formats/mastodon.ts', '../../store/batch.ts'],
    ['sources', '../diff/diff-html.ts'],
    ['diff', '../store/store.ts'],
    ['diff', '../sources/items.ts'],
    ['store', '../diff/diff-html.ts'],
    ['store', '../observe/observe.ts'],
    ['hosting', '../store/store.ts'],
    ['tree', '../hosting/host-files.ts'],
    ['observe', '../pages/page.ts'],
    ['observe', 'better-sqlite3'],
    ['pages', '../observe/observe.ts'],
    ['store', '../pages/page.ts'],
    ['pages', '../tree/layout.ts'],
    ['pages', '../sources/items.ts'],
    ['tree', '../serve/server.ts'],
    ['tree', '../commands/build.ts'],
    ['pages', '../diff/diff-html.ts'],
    ['tree', '../diff/diff-html.ts'],
    ['verify', '../diff/diff-html.ts'],
    ['serve', '../diff/diff-html.ts'],
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
    ['pages', 'parse5'],
    ['contract', 'diff'],
    ['sources', 'diff'],
    ['store', 'diff'],
    ['pages', 'diff'],
    ['tree', 'diff'],
    ['rewrite', 'diff'],
    ['verify', 'diff'],
    ['serve', 'diff'],
    ['commands', 'diff'],
    ['diff', 'better-sqlite3'],
    ['tree', 'http-server'],
    ['store', '@commander-js/extra-typings'],
    ['publish', '../serve/server.ts'],
    ['publish', '../commands/build.ts'],
    ['publish', '../diff/diff-html.ts'],
    ['publish', '../observe/observe.ts'],
    ['observe', '../publish/plan.ts'],
    ['publish', '../terminal.ts'],
    ['publish', 'better-sqlite3'],
    ['publish', '@aws-sdk/client-s3'],
    ['publish/targets', '../../serve/server.ts'],
    ['publish/targets/azure.ts', '@aws-sdk/client-s3'],
    ['publish/targets/s3.ts', '@azure/storage-blob'],
    ['publish/targets/s3.ts', '../../commands/build.ts'],
    ['commands', '@aws-sdk/client-s3'],
    ['commands', '@azure/identity'],
    ['tree', '../publish/plan.ts'],
    ['serve', '../publish/plan.ts'],
    ['verify', '../publish/plan.ts'],
    ['sources/formats', '../../publish/plan.ts'],
  ])('keeps %s from importing %s', (room, specifier) => expect(lint(room, specifier)).toContain('noRestrictedImports'));

  it.each([
    ['store', '../sources/items.ts'],
    ['commands', '../diff/diff-html.ts'],
    ['diff', '../contract/record.ts'],
    ['diff', 'diff'],
    ['pages', '../store/store.ts'],
    ['tree', '../pages/page.ts'],
    ['serve', '../rewrite/resolve.ts'],
    ['verify', '../store/store.ts'],
    ['commands', '../tree/build.ts'],
    ['publish', '../tree/manifest.ts'],
    ['publish/targets/s3.ts', '@aws-sdk/client-s3'],
    ['publish/targets/azure.ts', '@azure/identity'],
    ['publish/targets/folder.ts', '../../store/lock.ts'],
    ['commands', '../publish/publish.ts'],
    ['observe', '../diff/diff-html.ts'],
    ['observe', '../store/batch.ts'],
    ['rewrite', './resolve.ts'],
    ['rewrite/hosts', '../resolve.ts'],
    ['store', 'better-sqlite3'],
    ['sources/formats', '../../contract/json.ts'],
    ['sources/formats/mastodon.ts', 'parse5'],
  ])('lets %s import %s', (room, specifier) => expect(lint(room, specifier)).not.toContain('noRestrictedImports'));
});
