// npm run bench:archive [-- --records 1000000] [-- --folder /dev/shm]
//
// Writes the tree of a generated store in each form of archive, and imports the tree and the WACZ into new stores. Prints the
// MB of pages per second of elapsed time and of processor time, the peak of the memory, and the ratio of the processor time to
// that of `gzip` for the same bytes. The ratio depends less than the times on what else the machine does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { timed, workFolder } from './measure.js';

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' }, folder: { type: 'string' } } });
const records = Number(values.records);
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const GENERATOR = fileURLToPath(new URL('./records.js', import.meta.url));
const work = workFolder(values.folder);

const palimpsest = (...args) => timed(process.execPath, [BIN, ...args, '--json']);

function row(label, bytes, { seconds, processor, megabytes }, note = '') {
  const rate = (time) => `${Math.round(bytes / 1e6 / time)} MB/s`.padStart(9);
  const columns = [seconds.toFixed(1).padStart(7), rate(seconds), processor.toFixed(1).padStart(7), rate(processor)];
  console.log(`  ${label.padEnd(24)} ${columns.join(' ')} ${String(megabytes).padStart(5)} MB  ${note}`);
}

/** Writes records as NDJSON. */
async function generate(file) {
  const child = spawn(process.execPath, [GENERATOR, String(records), String(records / 10)]);
  const ended = once(child, 'close');
  await pipeline(child.stdout, createWriteStream(file));
  await ended;
}

const [ndjson, store, out] = ['records.ndjson', 'store.db', 'out'].map((name) => join(work, name));
await generate(ndjson);
console.log(`${records.toLocaleString('en-US')} records\n${' '.repeat(32)}elapsed${' '.repeat(9)}processor${' '.repeat(10)}memory`);
row('import of NDJSON', statSync(ndjson).size, palimpsest('import', ndjson, '--store', store));
rmSync(ndjson);
palimpsest('build', '--store', store, '--out', out, '--base-url', 'https://history.example');
rmSync(store);

const plain = join(work, 'history.warc');
const first = palimpsest('archive', 'warc', '--out', out, '--to', plain);
const { page_bytes: bytes } = JSON.parse(first.stdout);
const gzip = timed('gzip', ['-3', '--keep', plain]);
const ratio = ({ processor }) => `${(processor / gzip.processor).toFixed(2)} × gzip -3 of the same bytes`;
row('gzip -3 of the WARC', bytes, gzip);
row('archive warc', bytes, first, ratio(first));
for (const path of [plain, `${plain}.gz`]) rmSync(path);
for (const [form, name] of [
  ['warc', 'history.warc.gz'],
  ['wacz', 'history.wacz'],
  ['bag', 'history-bag'],
]) {
  const archived = palimpsest('archive', form, '--out', out, '--to', join(work, name));
  const size = form === 'bag' ? '' : `, ${Math.round(statSync(join(work, name)).size / 1e6)} MB`;
  row(`archive ${form}${name.endsWith('.gz') ? ', compressed' : ''}`, bytes, archived, ratio(archived) + size);
}
for (const source of ['out', 'history.wacz']) {
  const imported = palimpsest('import', join(work, source), '--store', store);
  row(`import of ${source === 'out' ? 'the tree' : 'the WACZ'}`, bytes, imported, ratio(imported));
  rmSync(store);
}
