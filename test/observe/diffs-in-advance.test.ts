import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Pauses } from '../../src/contract/event-loop-pauses.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { networkOf } from '../../src/diff/networks.ts';
import { windowsOf } from '../../src/observe/diffs-in-advance.ts';
import { Spool } from '../../src/observe/spool/spool.ts';
import { profile } from '../store/accounts.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROWS = 9000;
const ACCOUNTS = 30;
/** The bio of the account that is observed at a time. It changes with every n-th observation of the account. */
const handleAt = (time: number) => `n${time % ACCOUNTS}${time % 2 === 0 ? '' : '@s.example'}`;
const networkAt = (time: number) => networkOf({ screen_name: handleAt(time), id: undefined });
const bioAt = (time: number, every = 1) => `${Math.floor(time / ACCOUNTS / every)} and more of @n${time % ACCOUNTS}`;

/** Returns observations of some accounts in order of time. */
function spoolOf(every = 1): Spool {
  const spool = new Spool(join(temporaryFolder(), 'spool'));
  onTestFinished(() => spool.close());
  for (let time = 0; time < ROWS; time += 1) {
    const seen = { ...profile(handleAt(time)), bio: bioAt(time, every) };
    spool.add({ observed_at: time, web_archive_url: null, profile: seen, former_names: [] }, { file: 'a', line: time });
  }
  return spool;
}

describe.skipIf(availableParallelism() === 1)('windowsOf', () => {
  it('yields all rows in order, with the markup of most changes if most rows have one', async () => {
    const started = once(process, 'worker');
    let [time, inMarkup] = [0, 0];
    for await (const { rows, markup } of windowsOf(spoolOf(), {}, new Pauses(undefined, ''))) {
      for (const { instant } of rows) {
        expect(instant).toBe(time);
        const [before, text] = [bioAt(time - ACCOUNTS), bioAt(time)];
        const html = markup.get(JSON.stringify(['Bio', before, text, networkAt(time)]));
        if (html !== undefined) inMarkup += 1;
        if (html !== undefined && time % 50 === 0) expect(html).toBe(diffHtml('Bio', before, text, networkAt(time)));
        time += 1;
      }
    }
    expect(time).toBe(ROWS);
    expect(inMarkup).toBeGreaterThan(ROWS / 2);
    expect(inMarkup).toBeLessThan(ROWS * 0.9);
    await started;
  });

  it('starts no thread if few rows have a change, and ends it if the merge ends early', async () => {
    let threads = 0;
    const count = () => {
      threads += 1;
    };
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const windows = windowsOf(spoolOf(20), {}, new Pauses(undefined, ''));
    let rows = 0;
    for await (const window of windows) {
      rows += window.rows.length;
      expect(window.markup.size).toBe(0);
    }
    expect([rows, threads]).toEqual([ROWS, 0]);
    for await (const _ of windowsOf(spoolOf(), {}, new Pauses(undefined, ''))) break;
    expect(threads).toBe(1);
  });
});
