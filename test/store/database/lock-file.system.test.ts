import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Lock, lock } from '../../../src/store/database/lock-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Reads a database for a moment, as another process does at the first step of its own lock. */
const PROCESS = `
import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
const database = new Database(process.argv[2]);
database.exec('BEGIN; SELECT * FROM sqlite_schema');
process.send('reads');
setTimeout(() => { database.exec('COMMIT'); process.disconnect(); }, 30);`;

/** On a busy machine, the other process can take longer than a lock waits. */
const ATTEMPTS = 10;

it('waits for another process that is at the first step of the same lock', async () => {
  const folder = temporaryFolder();
  const [program, path] = [join(folder, 'process.mjs'), join(folder, 'lock')];
  writeFileSync(program, PROCESS);
  let held: Lock | undefined;
  for (let attempt = 0; held === undefined && attempt < ATTEMPTS; attempt += 1) {
    const other = fork(program, [path]);
    await once(other, 'message');
    held = lock(path);
    await once(other, 'exit');
  }
  expect(held).toBeDefined();
  held?.release();
});
