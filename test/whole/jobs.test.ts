import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { allRows } from '../support/store-rows.ts';
import { folderOfFile } from './stores.ts';

const folder = folderOfFile();
const at = (name: string) => join(folder, name);

/** Writes the snapshots of a generator of the benchmark, and some broken lines. */
function generate(program: string, items: number, accounts: number): void {
  const path = fileURLToPath(new URL(`../../bench/${program}.js`, import.meta.url));
  const lines = execFileSync(process.execPath, [path, String(items), String(accounts)], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    timeout: 60_000,
  }).split('\n');
  for (const line of [100, 101, 900]) lines.splice(line, 0, '{"broken');
  writeFileSync(at(`${program}.ndjson`), lines.join('\n'));
}

beforeAll(() => {
  // more text than the main thread reads alone
  generate('tweets', 2000, 100);
  generate('changing-profiles', 1000, 150);
});

function hashOf(tree: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(tree, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(path.slice(tree.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Observes all snapshots with a number of threads, in two nights. Returns everything that it leaves, without the duration. */
async function nights(jobs: number) {
  const [store, rejects, tree] = [at(`${jobs}.db`), at(`${jobs}-rejects.ndjson`), at(`${jobs}-tree`)];
  const summaries: object[] = [];
  for (const input of ['changing-profiles.ndjson', 'tweets.ndjson']) {
    const args = ['observe', at(input), '--store', store, '--rejects', rejects, '--jobs', String(jobs)];
    const { milliseconds, store: _, ...summary } = await palimpsestJson(args);
    expect(milliseconds).toBeGreaterThan(0);
    summaries.push(summary);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith(`${jobs}.db-`))).toEqual([]);
  await palimpsestJson(['build', '--store', store, '--out', tree, '--base-url', 'https://example.org']);
  return { summaries, rows: allRows(store), rejects: readFileSync(rejects, 'utf8'), tree: hashOf(tree) };
}

describe('palimpsest observe --jobs', () => {
  it('leaves the same store, tree, rejects and summary with 1, 2 and 5 threads', { timeout: 300_000 }, async () => {
    const one = await nights(1);
    expect(one.summaries[0]).toMatchObject({ snapshots: 1000, rejected: 3 });
    for (const jobs of [2, 5]) {
      const several = await nights(jobs);
      expect(several.summaries).toEqual(one.summaries);
      expect(several.rejects).toBe(one.rejects);
      expect(several.tree).toBe(one.tree);
      expect(several.rows).toEqual(one.rows);
    }
  });

  it.each(['read', 'fold'] as const)(
    'ends with one error, and leaves the store unchanged, if a thread ends at a %s request',
    { timeout: 300_000 },
    async (kind) => {
      const [store, input, ending] = [at(`${kind}.db`), at('tweets.ndjson'), at(`${kind}.cjs`)];
      await palimpsestJson(['observe', at('changing-profiles.ndjson'), '--store', store, '--rejects', at('other.ndjson')]);
      const before = allRows(store);
      // every thread of the program runs this first: it ends the thread instead of an answer with this field
      const field = { read: 'rows', fold: 'profiles' }[kind];
      const script = `const { isMainThread, parentPort } = require('node:worker_threads');
      const post = parentPort?.postMessage.bind(parentPort);
      if (!isMainThread) parentPort.postMessage = (answer) => ('${field}' in (answer.result ?? {}) ? process.exit(7) : post(answer));`;
      writeFileSync(ending, script);
      const args = ['observe', input, '--store', store, '--rejects', at(`${kind}-rejects.ndjson`), '--jobs', '2'];
      const { code, stderr } = await palimpsest([...args, '--quiet'], { env: { NODE_OPTIONS: `--require ${ending}` } });
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/a thread ended early \(thread-failed\)\n/) });
      expect(allRows(store)).toEqual(before);
      expect(readdirSync(folder).filter((name) => name.includes('spool') || name === `${kind}-rejects.ndjson`)).toEqual([]);
    },
  );

  it.each(['0', '1.5', '257', 'all'])('refuses --jobs %s', async (jobs) => {
    const { code, stderr } = await palimpsest(['observe', at('tweets.ndjson'), '--jobs', jobs]);
    expect(code).toBe(2);
    expect(stderr).toContain('--jobs');
  });
});
