import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';

const SNAPSHOTS = fileURLToPath(new URL('../../data/sample-snapshots.ndjson', import.meta.url));
const full = requirement('/dev/full', () => existsSync('/dev/full'));

/** Runs the program with its streams redirected by a shell. Returns its exit code and its output. */
async function redirected(args: string, redirection: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const { status, stdout, stderr } = await shell(`"${process.execPath}" "${BIN}" ${args} ${redirection}`, temporaryFolder());
  return { code: status, text: stdout + stderr };
}

// Node.js opens /dev/null for a stream that is closed at the start, before the program runs
it.each(['>&-', '2>&-', '<&-', ...(full.skip ? [] : ['2>/dev/full'])])(
  'a command succeeds with its streams as in %s',
  async (redirection) => {
    const { code, text } = await redirected(`observe '${SNAPSHOTS}'`, redirection);
    expect([code, text]).toEqual([0, redirection === '>&-' ? '' : expect.stringMatching(/^observed .*/)]);
  },
);

it.skipIf(full.skip)('a command says that it cannot write to a full disk', async () => {
  const { code, text } = await redirected('rewrite', '>/dev/full');
  expect([code, text]).toEqual([1, expect.stringMatching(/^error: cannot write to standard output \(file-system\)\n/)]);
});

it('a command that reads a closed standard input fails', async () => {
  const { code, text } = await redirected(`import - --store '${join(temporaryFolder(), 'store.db')}' --json 2>/dev/null`, '<&-');
  expect([code, JSON.parse(text).error.code]).toEqual([1, 'bad-json']);
});

it('the command help succeeds, alone and with a command', async () => {
  const { code, text } = await redirected(
    'help',
    `&& "${process.execPath}" "${BIN}" help build && "${process.execPath}" "${BIN}" store help push`,
  );
  expect([code, text.match(/^Usage: palimpsest.*/gm)]).toEqual([
    0,
    [expect.anything(), expect.stringContaining('build'), expect.stringContaining('store push')],
  ]);
});
