// Stops a command at a step of its work, so that no test depends on how long the work takes. Node loads it before the modules of
// the program (node --import). It counts
// the steps of the main thread, by kind: files sent to or deleted from a target, renames, other changes of files, statements
// that SQLite executes as text, such as COMMIT, and prepared statements that it runs.
//   STEPS_COUNT   a file for the numbers of steps, as JSON
//   STEPS_KIND, STEPS_AT   the step before which the command is killed
//   STEPS_GATE    a file that the command creates there instead; it waits until the file is removed
//   STEPS_THREADS_GATE    a file that each other thread waits for, before it begins
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

const { STEPS_COUNT, STEPS_KIND, STEPS_AT, STEPS_GATE, STEPS_THREADS_GATE } = process.env;
const { existsSync, writeFileSync } = fs;
const clock = new Int32Array(new SharedArrayBuffer(4));
const counts = { send: 0, rename: 0, file: 0, exec: 0, run: 0 };
let isWaiting = false;

function step(kind) {
  if (isWaiting) return;
  counts[kind] += 1;
  if (kind !== STEPS_KIND || counts[kind] !== Number(STEPS_AT)) return;
  if (STEPS_GATE === undefined) process.kill(process.pid, 'SIGKILL');
  isWaiting = true;
  writeFileSync(STEPS_GATE, '');
  while (existsSync(STEPS_GATE)) Atomics.wait(clock, 0, 0, 5);
  isWaiting = false;
}

function count(object, name, kind) {
  const usual = object[name];
  object[name] = function (...values) {
    step(kind);
    return usual.apply(this, values);
  };
}

if (isMainThread) {
  count(fs, 'renameSync', 'rename');
  for (const name of ['rmSync', 'rmdirSync', 'mkdirSync', 'openSync', 'writeSync', 'writeFileSync']) count(fs, name, 'file');
  for (const name of ['rename', 'link', 'rm']) count(fs.promises, name, 'send');
  syncBuiltinESMExports();
  count(Database.prototype, 'exec', 'exec');
  // kept: some releases of Node abort when a statement is collected
  const database = new Database(':memory:');
  globalThis.stepsStatement = database.prepare('SELECT 1');
  count(Object.getPrototypeOf(globalThis.stepsStatement), 'run', 'run');
  if (STEPS_COUNT !== undefined) process.on('exit', () => writeFileSync(STEPS_COUNT, JSON.stringify(counts)));
} else if (STEPS_THREADS_GATE !== undefined) while (!existsSync(STEPS_THREADS_GATE)) Atomics.wait(clock, 0, 0, 5);
