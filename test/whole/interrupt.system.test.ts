import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ProcessIO } from '../../src/terminal/process-io.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, type Finished, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { shell } from '../support/shell.ts';
import { until } from '../support/until.ts';
import { fileOf, folderOfFile, snapshotLines } from './stores.ts';

/** How many signals each command gets, one in each run. */
const INTERRUPTS = timesInProcess('interrupts of each command', 3, 100);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const RECORDS = 300;
const LINE = /^interrupted: [^\n]+; run the same command again[^\n]*\n$/;
const TOO_LATE = 'interrupted: the command was complete before it could stop\n';

type Signal = (typeof SIGNALS)[number];

const codeOf = (signal: Signal) => 128 + constants.signals[signal];

/** A folder with the input of each command. */
const folder = folderOfFile();

beforeAll(async () => {
  const records = Array.from({ length: RECORDS }, (_, index) => JSON.stringify(bioRecord(index + 1, { account: `account${index % 70}` })));
  fileOf(folder, 'records.ndjson', records);
  fileOf(folder, 'snapshots.ndjson', await snapshotLines(RECORDS, 50));
  await palimpsestJson(['import', 'records.ndjson', '--store', 'full.db'], { cwd: folder });
  const args = ['build', '--store', 'full.db', '--out', 'tree', '--page-size', '10', '--base-url', 'https://example.org'];
  await palimpsestJson(args, { cwd: folder });
});

const ABORTED = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted');

/** Runs a command in the folder. Leaves out the warning of the first run at a target. */
async function quietly(args: readonly string[], io: Partial<ProcessIO> = {}): Promise<Finished> {
  const ended = await palimpsestHere([...args, '--quiet'], { cwd: folder, io });
  return { ...ended, stderr: ended.stderr.replace(/^warning: .* is a new target: .*\n/, '') };
}

/** Runs a command in which a pause is always due. One of the times that it asks whether it must stop, it gets a signal. */
async function interrupted(args: readonly string[], signal: Signal, at: number): Promise<Finished & { readonly asked: number }> {
  const listeners = new Map<string, () => void>();
  let [asked, now] = [0, 0];
  const get = function (this: AbortSignal): boolean {
    asked += 1;
    if (asked === at) listeners.get(signal)?.();
    return ABORTED?.get?.call(this) === true;
  };
  Object.defineProperty(AbortSignal.prototype, 'aborted', { ...ABORTED, get });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 100;
    return now;
  });
  try {
    const io = { once: (name: string, listener: () => void) => listeners.set(name, listener) };
    return { ...(await quietly(args, io)), asked };
  } finally {
    clock.mockRestore();
    Object.defineProperty(AbortSignal.prototype, 'aborted', ABORTED ?? {});
  }
}

/** The commands that run for long, and what each makes; that is removed before each run. */
const COMMANDS: readonly (readonly [args: string, makes: readonly string[]])[] = [
  ['import records.ndjson --store new.db', ['new.db']],
  ['observe snapshots.ndjson --store new.db', ['new.db']],
  ['build --store full.db --out out --page-size 10 --compress gzip --base-url https://example.org', ['out']],
  ['verify --out tree --store full.db', []],
  ['publish --out tree site', ['site']],
  ['store check --store full.db', []],
  ['store push --store full.db backup', ['backup']],
  ['export ndjson --store full.db --to export.ndjson', ['export.ndjson']],
  ['archive wacz --out tree --to history.wacz', ['history.wacz']],
];

describe('a signal', () => {
  it.each(COMMANDS)('stops palimpsest %s with one line, and the same command can run again', async (text, makes) => {
    const args = text.split(' ');
    const remove = () => {
      for (const path of makes) rmSync(join(folder, path), { recursive: true, force: true });
    };
    remove();
    const before = readdirSync(folder).toSorted();
    const { code, stderr, asked: times } = await interrupted(args, 'SIGINT', 0);
    expect([code, stderr]).toEqual([0, '']);
    const after = readdirSync(folder).toSorted();
    let stopped = 0;
    for (let tried = 0; tried < INTERRUPTS; tried += 1) {
      remove();
      const signal = SIGNALS[tried % SIGNALS.length] ?? 'SIGINT';
      const at = Math.ceil((times * (tried + 1)) / (INTERRUPTS + 1));
      const ended = await interrupted(args, signal, at);
      const name = `${signal} at ${at} of ${times}`;
      expect([ended.code, ended.stdout], name).toEqual([codeOf(signal), '']);
      if (ended.stderr === TOO_LATE) {
        expect(readdirSync(folder).toSorted(), name).toEqual(after);
        continue;
      }
      stopped += 1;
      expect(ended.stderr, name).toMatch(LINE);
      const left = readdirSync(folder).filter((name) => !makes.some((made) => name === made || name.startsWith(`${made}-`)));
      expect(left.toSorted(), name).toEqual(before);
      expect(await quietly(args), name).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(folder).toSorted(), name).toEqual(after);
    }
    expect(stopped).toBeGreaterThan(0);
  });

  it.each([
    ['import - --store new.db --json', 'SIGHUP'],
    ['observe - --store new.db', 'SIGTERM'],
  ] as const)('stops palimpsest %s while it waits for input, and the process ends by the signal', async (text, signal) => {
    const cwd = temporaryFolder();
    const child = spawn(process.execPath, [BIN, ...text.split(' ')], { cwd });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => {
      stdout += String(data);
    });
    child.stderr.on('data', (data) => {
      stderr += String(data);
    });
    const ended = new Promise((resolve) => child.once('close', (code, by) => resolve(by ?? code)));
    await until(() => readdirSync(cwd).includes('new.db-journal'));
    child.kill(signal);
    // a service manager calls any exit code a failure
    expect([await ended, stderr]).toEqual([signal, expect.stringMatching(LINE)]);
    if (text.endsWith('--json')) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'stopped', message: expect.any(String) } });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('a reader that stops early', () => {
  it.each(['export ndjson --store full.db --to -', 'publish --out tree site --dry-run'])(
    'ends palimpsest %s without an error',
    async (text) => {
      const script = `{ "${process.execPath}" "${BIN}" ${text}; echo "exit code $?" >&2; } | head -n 1`;
      const { status, stdout, stderr } = await shell(script, folder);
      expect([status, stderr]).toEqual([0, 'exit code 0\n']);
      expect(stdout.trim().split('\n')).toHaveLength(1);
    },
  );
});
