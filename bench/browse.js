// npm run bench:browse [-- --records 1000000] [-- --folder /some/disk] [-- --runs 3]
//
// Prints what the HTML pages cost: the time of a full build beside `cp -r` of the tree and beside a build without them, their
// number and their bytes, and what a build writes after one new bio or name, and after those of 300 accounts. The new values are changes, not
// first values. The last lines are those of a record that is a checkpoint, after which lists by name and the search index are written again.
import { createReadStream, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkpointOf } from '../dist/store/accounts/names-since-checkpoint.js';
import { generated } from './generated.js';
import { heading, inRounds, machine, ratios, row, spread, timed, workFolder } from './measure.js';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '1000000' }, runs: { type: 'string', default: '3' }, folder: { type: 'string' } },
});
const [RECORDS, RUNS] = [Number(values.records), Number(values.runs)];
const ACCOUNTS = RECORDS / 10;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const work = workFolder(values.folder);
const [ndjson, store, html, plain, copy] = ['records.ndjson', 'store.db', 'html', 'plain', 'copy'].map((name) => join(work, name));

const palimpsest = (...args) => timed(process.execPath, [BIN, ...args, '--json']);
const build = (out, ...options) => palimpsest('build', '--store', store, '--out', out, '--base-url', 'https://history.example', ...options);
const anew = (path, run) => () => {
  rmSync(path, { recursive: true, force: true });
  return run();
};

/** Returns the HTML pages, feeds and parts of the search index in a tree: their paths, sizes and times. */
function browseFiles() {
  return readdirSync(html, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (entry.parentPath === html ? entry.name.endsWith('.html') : entry.parentPath.includes('browse')))
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const { size, ctimeMs } = statSync(path);
      return { path, size, ctimeMs };
    });
}

/** Imports records that are newer than all others, builds, and prints how many files of HTML pages were written. */
function afterRecords(label, field, count) {
  const accounts = Array.from({ length: count }, (_, index) => `user_${1 + Math.floor((index * ACCOUNTS) / count)}`);
  const lines = accounts.map((account) => nextRecord(account, field));
  writeFileSync(ndjson, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  palimpsest('import', ndjson, '--store', store);
  const started = Date.now();
  const [withPages, without] = [build(html, '--html'), build(plain)];
  const written = browseFiles().filter(({ ctimeMs }) => ctimeMs >= started).length;
  row(
    label,
    [withPages],
    `${written} files of HTML pages written, ${spread(ratios([withPages], [without], 'seconds'))} × the build without`,
  );
}

/** Returns a record that is newer than all others. */
function nextRecord(account, field) {
  const key = `${account} ${field}`;
  const previous = newest.get(key) ?? null;
  records += 1;
  newest.set(key, records);
  return { ...newRecord(records, account, field, `one more ${records}`), previous };
}

const newRecord = (id, account, data_type, text) => ({
  id,
  account,
  data_type,
  previous: null,
  text,
  first_encountered_date: '2099-01-01T00:00:00Z',
  diff_html: text,
  web_archive_url: null,
});

console.log(`${machine()}, in ${work}`);
heading(`${RECORDS.toLocaleString('en-US')} records of ${ACCOUNTS.toLocaleString('en-US')} accounts, 100 a page`);
await generated(ndjson, 'records.js', RECORDS, ACCOUNTS);
/** The id of the newest record of each account and field. */
const newest = new Map();
for await (const line of createInterface({ input: createReadStream(ndjson) })) {
  const [, id, account, field] = /^\{"id":(\d+),"account":"(\w+)","data_type":"(\w+)"/.exec(line);
  newest.set(`${account} ${field}`, Number(id));
}
/** The number of all records, and the id of the newest. */
let records = RECORDS;
palimpsest('import', ndjson, '--store', store);
const first = ['Name', 'Bio', 'Location', 'Website', 'Verified'].map((field, index) =>
  newRecord(RECORDS + 1 + index, 'five_first_values', field, field === 'Verified' ? 'false' : `https://${field}.example`),
);
records += first.length;
writeFileSync(ndjson, first.map((line) => `${JSON.stringify(line)}\n`).join(''));
palimpsest('import', ndjson, '--store', store);

const [builds, copies, others] = inRounds(
  RUNS,
  anew(html, () => build(html, '--html')),
  anew(copy, () => timed('cp', ['-r', html, copy])),
  anew(plain, () => build(plain)),
);
const against = (results) => spread(ratios(builds, results, 'seconds'));
row('build --html into an empty folder', builds, `${against(copies)} × cp -r, ${against(others)} × the build without`);
row('cp -r of that tree', copies);
rmSync(copy, { recursive: true });

const files = browseFiles();
const bytes = (list) => `${(list.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(1)} MB`;
const search = files.filter(({ path }) => path.includes('/browse/search/'));
const page = readFileSync(files.find(({ path }) => path.endsWith('/five_first_values.html')).path);
console.log(
  [
    `  ${files.length} files of HTML pages, ${(files.length / ACCOUNTS).toFixed(2)} an account, ${bytes(files)}`,
    `  search index: ${search.length} files, ${bytes(search)}`,
    `  page of an account with five first values: ${gzipSync(page).length} bytes compressed, ${gzipSync(JSON.stringify(first)).length} of them its records`,
  ].join('\n'),
);
for (const field of ['Bio', 'Name']) {
  afterRecords(`one new ${field}`, field, 1);
  afterRecords(`one new ${field} in each of 300 accounts`, field, Math.min(300, ACCOUNTS));
}
let missing = 1;
while (checkpointOf(records + missing) !== records + missing) missing += 1;
if (missing > 1) afterRecords(`${missing - 1} new Names`, 'Name', missing - 1);
afterRecords('one new Name, a checkpoint', 'Name', 1);
