import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, type Finished, palimpsest } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { shell } from '../support/shell.ts';

/** How many signals must reach a running command, for each command. */
const KILLS = times('interrupts of each command', 1, 20);
const MOST_TRIES = 20 * KILLS;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const RECORDS = 2500;
const LINE = /^interrupted: [^\n]+; run the same command again[^\n]*\n$/;
const TOO_LATE = 'interrupted: the command was complete before it could stop\n';

type Signal = (typeof SIGNALS)[number];

const codeOf = (signal: Signal) => 128 + constants.signals[signal];

function records(): string {
  const line = (id: number) => ({
    id,
    account: `account${id % 700}`,
    data_type: 'Location',
    previous: id > 700 ? id - 700 : null,
    text: `place ${id}`,
    first_encountered_date: '2023-11-18T16:29:12Z',
    diff_html: '',
    web_archive_url: null,
  });
  return Array.from({ length: RECORDS }, (_, index) => `${JSON.stringify(line(index + 1))}\n`).join('');
}

function snapshots(): string {
  const line = (index: number) => ({
    observed_at: new Date(Date.UTC(2022, 0, 1) + index * 1000).toISOString(),
    screen_name: `account${index % 500}`,
    bio: `bio ${index}`,
  });
  return Array.from({ length: RECORDS }, (_, index) => `${JSON.stringify(line(index))}\n`).join('');
}

/** A folder with the input of each command. */
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-interrupt-'));
  writeFileSync(join(folder, 'records.ndjson'), records());
  writeFileSync(join(folder, 'snapshots.ndjson'), snapshots());
  expect(await palimpsest(['import', 'records.ndjson', '--store', 'full.db', '--quiet'], { cwd: folder })).toMatchObject({ code: 0 });
  const args = ['build', '--store', 'full.db', '--out', 'tree', '--page-size', '3', '--base-url', 'https://example.org', '--quiet'];
  expect(await palimpsest(args, { cwd: folder })).toMatchObject({ code: 0 });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The commands that run for long, and what each makes; that is removed before each run. */
const COMMANDS: readonly (readonly [args: string, makes: readonly string[]])[] = [
  ['import records.ndjson --store new.db', ['new.db']],
  ['observe snapshots.ndjson --store new.db', ['new.db']],
  ['build --store full.db --out out --page-size 2 --compress gzip --base-url https://example.org', ['out']],
  ['verify --out tree --store full.db', []],
  ['publish --out tree site', ['site']],
  ['store check --store full.db', []],
  ['store push --store full.db backup', ['backup']],
  ['export ndjson --store full.db --to export.ndjson', ['export.ndjson']],
  ['archive wacz --out tree --to history.wacz', ['history.wacz']],
];

describe('a signal', () => {
  it.each(COMMANDS)(
    'stops palimpsest %s with one line, and the same command can run again',
    async (text, makes) => {
      for (const path of makes) rmSync(join(folder, path), { recursive: true, force: true });
      const before = readdirSync(folder).toSorted();
      const args = text.split(' ');
      const started = performance.now();
      expect((await palimpsest(args, { cwd: folder })).stderr).toBe('');
      const took = performance.now() - started;
      const after = readdirSync(folder).toSorted();
      let landed = 0;
      for (let tried = 0; landed < KILLS && tried < MOST_TRIES; tried += 1) {
        for (const path of makes) rmSync(join(folder, path), { recursive: true, force: true });
        const signal = SIGNALS[tried % SIGNALS.length] ?? 'SIGINT';
        const ended = await palimpsest(args, {
          cwd: folder,
          onStart: (child) => void setTimeout(took * (0.4 + 0.6 * Math.random())).then(() => child.kill(signal)),
        });
        // before the program listens, the signal ends it silently; after its work, it is too late
        if (ended.signal !== null || ended.code === 0 || ended.stderr.endsWith(TOO_LATE)) continue;
        expect(ended).toMatchObject({ code: codeOf(signal), stdout: '', stderr: expect.stringMatching(LINE) });
        landed += 1;
        const left = readdirSync(folder).filter((name) => !makes.some((made) => name === made || name.startsWith(`${made}-`)));
        expect(left.toSorted()).toEqual(before.filter((name) => !makes.includes(name)));
        expect(await palimpsest(args, { cwd: folder })).toMatchObject({ code: 0, stderr: '' });
        expect(readdirSync(folder).toSorted()).toEqual(after);
      }
      expect(landed).toBe(KILLS);
    },
    60_000,
  );

  it.each([
    ['import - --store new.db', 'SIGINT'],
    ['observe - --store new.db', 'SIGTERM'],
    ['import - --store new.db --json', 'SIGHUP'],
  ] as const)('stops palimpsest %s while it waits for input', async (text, signal) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await interruptedOnInput(text.split(' '), folder, signal);
    expect([code, stderr]).toEqual([codeOf(signal), expect.stringMatching(LINE)]);
    if (text.endsWith('--json')) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'stopped', message: expect.any(String) } });
  });
});

/** Runs a command that reads an open pipe, and sends a signal when it has created its store. */
function interruptedOnInput(args: readonly string[], cwd: string, signal: Signal): Promise<Pick<Finished, 'code' | 'stdout' | 'stderr'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += String(text);
    });
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    void (async () => {
      while (!readdirSync(cwd).includes('new.db-journal')) await setTimeout(5);
      child.kill(signal);
    })();
  });
}

describe('a reader that stops early', () => {
  it.each(['export ndjson --store full.db --to -', 'publish --out tree site --plan'])(
    'ends palimpsest %s without an error',
    async (text) => {
      const script = `{ "${process.execPath}" "${BIN}" ${text}; echo "exit code $?" >&2; } | head -n 1`;
      const { status, stdout, stderr } = await shell(script, folder);
      expect([status, stderr]).toEqual([0, 'exit code 0\n']);
      expect(stdout.trim().split('\n')).toHaveLength(1);
    },
  );
});
