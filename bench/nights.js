// npm run bench:nights [-- --records 1000000] [-- --folder /dev/shm]
//
// Builds the composed layout of a generated store with one account for ten records, then again after nights with few changes:
// one new record (nine nights), 300 records of 300 accounts, and about 50 old records of five accounts that were missing. Prints
// the chunks that each build writes, its times and the peak of its memory. The static layout of the same store is for comparison.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { heading, machine, row, timed, workFolder } from './measure.js';

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' }, folder: { type: 'string' } } });
const records = Number(values.records);
const NIGHTS = 9;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const GENERATOR = fileURLToPath(new URL('./records.js', import.meta.url));
const work = workFolder(values.folder);
const at = (name) => join(work, name);

const palimpsest = (...args) => timed(process.execPath, [BIN, ...args, '--store', at('store.db'), '--json']);
const build = (layout) => palimpsest('build', '--layout', layout, '--out', at(layout), '--base-url', 'https://history.example');

/** Imports a file of records and builds the composed layout. */
function night(file) {
  palimpsest('import', file);
  const result = build('composed');
  return { ...result, written: JSON.parse(result.stdout).written };
}

/** Returns a file with lines. */
function fileOf(lines) {
  writeFileSync(at('night.ndjson'), lines.join('\n'));
  return at('night.ndjson');
}

/**
 * Writes all records but the last 800 to a file. Returns two lists of lines: those of the last records, each of another account,
 * and those of five accounts that are left out of the file.
 */
async function generate(file) {
  const child = spawn(process.execPath, [GENERATOR, String(records + 800), String(records / 10)]);
  const output = createWriteStream(file);
  const [later, missing] = [new Map(), []];
  let number = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    number += 1;
    const [, account] = /"account":"([^"]+)"/.exec(line);
    if (/^user_[1-5]$/.test(account)) missing.push(line);
    else if (number > records) later.set(account, line);
    else if (!output.write(`${line}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'close');
  return { later: [...later.values()], missing };
}

const { later, missing } = await generate(at('records.ndjson'));
console.log(`${machine()}\n${records.toLocaleString('en-US')} records of ${(records / 10).toLocaleString('en-US')} accounts`);
heading('full');
row('import', [palimpsest('import', at('records.ndjson'))]);
rmSync(at('records.ndjson'));
const full = build('composed');
row('build, composed layout', [full], `${JSON.parse(full.stdout).written} chunks`);
row('build, static layout', [build('static')]);
rmSync(at('static'), { recursive: true });

heading('build after a night');
const print = (label, results) => row(label, results, `chunks: ${results.map(({ written }) => written).join(' ')}`);
const first = Array.from({ length: NIGHTS }, (_, index) => night(fileOf([later[index]])));
print('one new record', first);
print('300 records of 300 accounts', [night(fileOf(later.slice(NIGHTS, NIGHTS + 300)))]);
print(`${missing.length} old records of 5 accounts`, [night(fileOf(missing))]);
row(
  'no change',
  Array.from({ length: NIGHTS }, () => build('composed')),
);
