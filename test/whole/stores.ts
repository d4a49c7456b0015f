import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url));
/** Longer than any list of records that is made here, in bytes. */
const MOST = 1 << 30;

/** Where Linux keeps files in memory; some containers have next to nothing there. */
const MEMORY = '/dev/shm';
const ENOUGH = 2 ** 31;

/**
 * A new folder for all tests of a file; gone when they have ended. In memory where there is plenty, unless
 * TMPDIR says otherwise: a process's death is the same to every file system, and trees are laid and removed
 * by the hundred.
 */
export function folderOfFile(): string {
  const folder = mkdtempSync(join(process.env['TMPDIR'] ?? (hasRoom(MEMORY) ? MEMORY : tmpdir()), 'palimpsest-whole-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ENOUGH;
}

/** Invented records with the ids 1 to `records`, oldest first, one line of NDJSON each; always the same ones. */
export function recordLines(records: number, accounts: number): Promise<string[]> {
  return linesOf('records.js', records, accounts);
}

/** Invented snapshots, oldest first, one line of NDJSON each; always the same ones. */
export async function snapshotLines(snapshots: number, accounts: number): Promise<string[]> {
  const lines = await linesOf('snapshots.js', snapshots, accounts);
  // each begins with its time
  return lines.sort();
}

async function linesOf(script: string, ...counts: readonly number[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(BENCH, script), ...counts.map(String)], { maxBuffer: MOST });
  return stdout.trimEnd().split('\n');
}

/** Writes lines into a file; gives its path. */
export function fileOf(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

/** Imports lines through the program's standard input. */
export async function importLines(store: string, lines: readonly string[], options: readonly string[] = []): Promise<void> {
  await palimpsestJson(['import', '-', '--store', store, ...options], { input: lines.join('\n') });
}

/**
 * The SHA-256 of everything that a store holds, imported and derived, but for the numbers of its revisions:
 * how often a store was opened shows in them.
 * @throws Error where the file is damaged
 */
export function contentsOf(store: string): string {
  const database = new Connection(store);
  try {
    const damage = database.value('PRAGMA integrity_check');
    if (damage !== 'ok') throw new Error(`${store}: ${String(damage)}`);
    const orphans = database.value('SELECT count(*) FROM pragma_foreign_key_check');
    if (orphans !== 0) throw new Error(`${store} has ${String(orphans)} records without an account`);
    const hash = createHash('sha256');
    for (const query of [
      'SELECT id, json FROM record ORDER BY id',
      'SELECT screen_name, identity, summary, known_to, first_record, hex(digest), stable_id, observed_to FROM account ORDER BY screen_name',
      'SELECT handle, seen_to, screen_name FROM former_handle JOIN account ON account.id = account ORDER BY handle, seen_to, screen_name',
      'SELECT first_record, records, head, tail FROM history ORDER BY first_record',
    ]) {
      hash.update(query);
      for (const row of database.prepare(query).raw().all()) hash.update(JSON.stringify(row));
    }
    return hash.digest('hex');
  } finally {
    database.close();
  }
}
