// Loaded into the program before its own modules (node --import), in every thread: makes the disk slow, so
// that what takes a moment takes long enough for a test to look at it. It changes when things happen, not what.
//   SLOW_RENAME, SLOW_WRITE   milliseconds that each rename and each write of a file takes longer
//   WORKERS_WAIT_FOR          a file without which no worker thread goes on
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { SLOW_RENAME = '0', SLOW_WRITE = '0', WORKERS_WAIT_FOR } = process.env;
const clock = new Int32Array(new SharedArrayBuffer(4));

function sleep(milliseconds) {
  if (milliseconds > 0) Atomics.wait(clock, 0, 0, milliseconds);
}

const { renameSync, writeFileSync } = fs;
fs.renameSync = (...values) => {
  sleep(Number(SLOW_RENAME));
  renameSync(...values);
};
fs.writeFileSync = (...values) => {
  sleep(Number(SLOW_WRITE));
  writeFileSync(...values);
};
syncBuiltinESMExports();

if (!isMainThread && WORKERS_WAIT_FOR !== undefined) while (!fs.existsSync(WORKERS_WAIT_FOR)) sleep(5);
