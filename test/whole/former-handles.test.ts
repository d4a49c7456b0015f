import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountPage } from '../../src/browse/paths.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

let folder: string;
let store: string;
let out: string;

const run = (args: readonly string[], input = '') => palimpsestJson([...args, '--store', store], { input });

const build = () => run(['build', '--out', out, '--html']);
const verify = () => run(['verify', '--out', out]);
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const seen = (day: number, screen_name: string, id: string) =>
  line({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name, id, bio: `bio ${day}` });

/** Returns the line of an export for an account, with these former handles and nothing else. */
function state(screen_name: string, ...former: readonly string[]): string {
  const former_handles = former.map((handle) => ({ handle, seen_to: '2019-05-05T16:29:12.000000Z' }));
  const identity = { screen_name, stable_id: null, observed_to: null, observed_fields: [], former_handles };
  const profile = { display_name: '', website: null, location: '', bio: '' };
  return line({ ...identity, account_creation_date: null, profile_image_url: '', profile, profile_record: null });
}

beforeEach(() => {
  folder = temporaryFolder();
  store = join(folder, 'store.db');
  out = join(folder, 'out');
});

const page = (handle: string) => join(out, accountPage(handle));

describe('a former handle', () => {
  it('is kept of an account of which nothing else is known', async () => {
    await run(['import', '-'], state('lone', 'lone_d'));
    await build();
    expect(existsSync(page('lone_d'))).toBe(true);
    await verify();
    expect(await run(['remove', 'lone_d', '--yes'])).toMatchObject({ results: [{ screen_name: 'lone', handles: ['lone', 'lone_d'] }] });
    expect(await run(['accounts'])).toMatchObject({ results: [] });
  });

  it('vanishes with a removed account from the page of the account that has the handle today', async () => {
    await run(['observe', '-'], seen(1, 'shared', 'id-1') + seen(2, 'nina_k', 'id-1') + seen(3, 'shared', 'id-2'));
    await build();
    expect(readFileSync(page('shared'), 'utf8')).toContain('nina_k');
    await run(['remove', 'nina_k', '--yes']);
    await build();
    const left = [...filesIn(out)].filter(([, bytes]) => bytes.includes('nina_k')).map(([path]) => path);
    expect(left).toEqual([]);
    await verify();
  });
});
