// Simulates a slow disk, so that tests can observe states that are otherwise very short. Node loads it before the
// modules of the program (node --import), in every thread. It changes only the timing of operations.
//   SLOW_RENAME, SLOW_WRITE, SLOW_REMOVE   additional milliseconds for each rename, write and removal of a file
//   WORKERS_WAIT_FOR                       a file for which each worker thread waits
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { SLOW_RENAME = '0', SLOW_WRITE = '0', SLOW_REMOVE = '0', WORKERS_WAIT_FOR } = process.env;
const clock = new Int32Array(new SharedArrayBuffer(4));

function sleep(milliseconds) {
  if (milliseconds > 0) Atomics.wait(clock, 0, 0, milliseconds);
}

const { renameSync, rmSync, writeFileSync } = fs;
fs.renameSync = (...values) => {
  sleep(Number(SLOW_RENAME));
  renameSync(...values);
};
fs.rmSync = (...values) => {
  sleep(Number(SLOW_REMOVE));
  rmSync(...values);
};
fs.writeFileSync = (...values) => {
  sleep(Number(SLOW_WRITE));
  writeFileSync(...values);
};
syncBuiltinESMExports();

if (!isMainThread && WORKERS_WAIT_FOR !== undefined) while (!fs.existsSync(WORKERS_WAIT_FOR)) sleep(5);
