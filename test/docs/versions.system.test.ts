import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';

const DATA = fileURLToPath(new URL('../../data', import.meta.url));
const blocks = blocksOf('versions.md');
const commandsBelow = (heading: string) => blocks(heading, 'sh').join('');

const PUBLISH = commandsBelow('Publish a site');
/** Another night: new records, and the same build and publish. */
const NEXT_NIGHT = [
  'palimpsest observe data/sample-snapshots.ndjson',
  ...PUBLISH.split('\n').filter((line) => / (build|publish) /.test(line)),
];

/** Runs commands of the page with folders beside the working folder in place of the buckets. */
async function run(cwd: string, commands: string) {
  const program = `palimpsest() { "${process.execPath}" "${BIN}" "$@"; }\n`;
  return await shell(program + commands.replaceAll('s3://', 'targets/'), cwd);
}

/** The numbers of the live versions of the site. */
function live(cwd: string): readonly number[] {
  const { versions } = JSON.parse(readFileSync(join(cwd, 'targets/bucket/site/head.json'), 'utf8'));
  return versions.map(({ number }: { readonly number: number }) => number);
}

describe('docs/versions.md', () => {
  it('has commands that work one after another', async () => {
    const cwd = temporaryFolder();
    cpSync(DATA, join(cwd, 'data'), { recursive: true });
    expect(await run(cwd, PUBLISH)).toMatchObject({ status: 0, stderr: '' });
    expect(live(cwd)).toEqual([1]);
    expect(existsSync(join(cwd, 'host'))).toBe(true);
    expect(await run(cwd, NEXT_NIGHT.join('\n'))).toMatchObject({ status: 0, stderr: '' });
    expect(live(cwd)).toEqual([1, 2]);
    expect(await run(cwd, commandsBelow('Go back, and delete old versions'))).toMatchObject({ status: 0, stderr: '' });
    // the rollback has number 3, and the ZIP is published again under the next one
    expect(live(cwd)).toEqual([1, 4]);
    // a server does not end
    const copying = commandsBelow('Copy a site with its versions').replace(/^palimpsest serve .*\n/m, '');
    expect(await run(cwd, copying.replace('rclone copy remote:', 'cp -R targets/'))).toMatchObject({ status: 0, stderr: '' });
    expect(await run(cwd, commandsBelow('Keep copies of the store'))).toMatchObject({ status: 0, stderr: '' });
  });
});
