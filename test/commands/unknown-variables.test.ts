import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

const SNAPSHOT = '{"observed_at":"2024-01-01T00:00:00Z","screen_name":"ann","bio":"a"}\n';

/** Runs a command that succeeds, and returns its output. */
async function observing(env: Readonly<Record<string, string>>, ...options: string[]) {
  const finished = await palimpsestHere(['observe', '-', ...options], { cwd: temporaryFolder(), input: SNAPSHOT, env });
  expect(finished.code, finished.stderr).toBe(0);
  return finished;
}

describe('a variable that no command has', () => {
  it.each([
    ['PALIMPSEST_STORES', 'PALIMPSEST_STORE'],
    ['PALIMPSEST_END_POINT', 'PALIMPSEST_ENDPOINT'],
    // an option of another command
    ['PALIMPSEST_BASEURL', 'PALIMPSEST_BASE_URL'],
  ])('is named in a warning, with a similar variable (%s)', async (variable, similar) => {
    const { stdout, stderr } = await observing({ [variable]: 'x' }, '--json');
    expect(stderr).toBe(`warning: ${variable} is ignored, because no command has this variable; did you mean ${similar}?\n`);
    expect(JSON.parse(stdout)).toMatchObject({ snapshots: 1 });
  });

  it('is named without a suggestion if no variable is similar', async () => {
    const { stderr } = await observing({ PALIMPSEST_XYLOPHONE_NUMBER: 'x' });
    expect(stderr).toBe('warning: PALIMPSEST_XYLOPHONE_NUMBER is ignored, because no command has this variable\n');
  });

  it('is not reported with --quiet, nor if it is empty', async () => {
    expect((await observing({ PALIMPSEST_STORES: 'x' }, '--quiet')).stderr).toBe('');
    expect((await observing({ PALIMPSEST_STORES: 'x', PALIMPSEST_QUIET: '1' })).stderr).toBe('');
    expect((await observing({ PALIMPSEST_STORES: '' })).stderr).toBe('');
  });
});

it('reports no variable of any command, also if it switches an option off', async () => {
  const env = {
    PALIMPSEST_BASE_URL: 'x',
    PALIMPSEST_KEEP: '3',
    PALIMPSEST_DRY_RUN: '0',
    PALIMPSEST_HTML: '1',
  };
  expect((await observing(env)).stderr).toBe('');
});
