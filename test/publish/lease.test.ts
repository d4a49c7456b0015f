import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { Growing, publishJson } from './growing.ts';

const folder = folderOfFile();

/** A target that a run on another machine says it is publishing to. */
async function held(name: string): Promise<{ readonly history: Growing; readonly site: string; readonly beat: (beat: number) => void }> {
  const history = await Growing.of(folder, name, { records: 100, accounts: 10 });
  const site = join(folder, `${name}-site`);
  await publishJson(['publish', site, '--out', history.out]);
  await history.grow(1);
  const path = join(site, 'publish.json');
  const state: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const beat = (beat: number) =>
    writeFileSync(
      path,
      `${JSON.stringify({ ...(isObject(state) ? state : {}), state: 'publishing', holder: { machine: 'another', process: 1, token: 'x', beat } })}\n`,
    );
  beat(1);
  return { history, site, beat };
}

describe('a run that finds the claim of another machine', () => {
  it('refuses where that one lives', async () => {
    const { history, site, beat } = await held('living');
    let isOver = false;
    const beating = (async () => {
      for (let number = 2; !isOver; number += 1) {
        beat(number);
        await setTimeout(200);
      }
    })();
    const { code, stdout } = await palimpsest(['publish', site, '--out', history.out, '--json']);
    isOver = true;
    await beating;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-busy' } });
  });

  it('takes over where nothing was heard of it for a while', async () => {
    const { history, site } = await held('dead');
    expect(await publishJson(['publish', site, '--out', history.out])).toMatchObject({ resumed: true, done: { deletes: 0 } });
    expect(JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'))).toMatchObject({ state: 'published', holder: null });
  });
});

it('refuses a publish.json that is somebody else’s', async () => {
  const { history, site } = await held('foreign');
  writeFileSync(join(site, 'publish.json'), '{"hello":1}');
  const { code, stdout } = await palimpsest(['publish', site, '--out', history.out, '--json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-ours', file: 'publish.json' } });
});
