import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { Connection } from '../../src/store/database/connection.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url));
/** A limit above the size of any generated list of records, in bytes. */
const MAX_OUTPUT = 1 << 30;

/** The folder for files in memory on Linux. Some containers have almost no space there. */
const MEMORY = '/dev/shm';
const ENOUGH = 2 ** 31;

/**
 * Creates a folder for all tests of a file. It is removed after the tests. The folder is in memory if there is enough
 * space, unless TMPDIR is set: tests create and remove hundreds of trees, and every file system treats a killed process
 * the same.
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

/** Returns invented records with the ids 1 to `records`, oldest first, one line of NDJSON each. They are always the same. */
export async function recordLines(records: number, accounts: number): Promise<string[]> {
  // a list begins with each shorter one
  return (await linesOf('records.js', Math.max(FEW, records), accounts)).slice(0, records);
}

/** Returns invented snapshots, oldest first, one line of NDJSON each. They are always the same. */
export async function snapshotLines(snapshots: number, accounts: number): Promise<string[]> {
  const lines = await linesOf('snapshots.js', snapshots, accounts);
  // each line begins with its time
  return lines.sort();
}

/** So many records are generated at least, and kept for the next test that asks for fewer. */
const FEW = 1100;

/** The outputs of scripts so far: the tests of one process ask for the same records again and again. */
const generated = new Map<string, Promise<readonly string[]>>();

async function linesOf(script: string, ...counts: readonly number[]): Promise<string[]> {
  const args = [join(BENCH, script), ...counts.map(String)];
  const key = args.join(' ');
  const lines = generated.get(key) ?? generate(args);
  generated.set(key, lines);
  return [...(await lines)];
}

async function generate(args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT });
  return stdout.trimEnd().split('\n');
}

/** Writes lines to a file. Returns its path. */
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
 * Returns the SHA-256 of the imported and derived contents of a store. It excludes the revision numbers, because they
 * depend on how often the store was opened.
 * @throws Error if the file is damaged
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
      'SELECT screen_name, identity, summary, known_to, first_record, hex(digest), stable_id, observed_to, last_seen FROM account ORDER BY screen_name',
      'SELECT handle, seen_to, screen_name FROM former_handle JOIN account ON account.id = account ORDER BY handle, seen_to, screen_name',
      'SELECT first_record, records, head, tail FROM history ORDER BY first_record',
      'SELECT * FROM history_part ORDER BY first_record, number',
    ]) {
      hash.update(query);
      for (const row of database.prepare(query).raw().all()) hash.update(JSON.stringify(row));
    }
    return hash.digest('hex');
  } finally {
    database.close();
  }
}
