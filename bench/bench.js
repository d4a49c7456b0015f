// npm run bench [-- --large] [-- --folder /dev/shm]
//
// Times whole processes on a generated store. Prints each figure beside a yardstick from the same run:
// - build: `cp -r` of the built tree
// - import: `sqlite3 .import` of the same rows
// - observe: parsing the same lines, and one thread to two
// --records 0 leaves out everything but observe.
// The time of one diff_html is printed first.
// All files are in one folder (default: /dev/shm if it exists), so that the disk does not add noise.
// --large also runs everything at ten times the size. This needs 30 GB, so pass a folder on a disk.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diffHtml } from '../dist/diff/diff-html.js';

const { values } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    folder: { type: 'string' },
    runs: { type: 'string', default: '5' },
    records: { type: 'string', default: '1000000' },
    snapshots: { type: 'string', default: '800000' },
  },
});
const RUNS = Number(values.runs);
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const PROGRAM = (name) => fileURLToPath(new URL(name, import.meta.url));
const work = mkdtempSync(join(values.folder ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir()), 'palimpsest-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Runs a process; returns the seconds and, if `time` is available, the seconds of processor time and the peak of its memory in MB. */
function timed(command, args) {
  const measured = existsSync('/usr/bin/time');
  const started = performance.now();
  const result = measured
    ? spawnSync('/usr/bin/time', ['-f', '%U %S %M', command, ...args], { encoding: 'utf8' })
    : spawnSync(command, args, { encoding: 'utf8' });
  const seconds = (performance.now() - started) / 1000;
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${result.stderr}`);
  const [user = 0, system = 0, kilobytes = 0] = measured ? result.stderr.trim().split('\n').at(-1).split(' ').map(Number) : [];
  const megabytes = kilobytes > 0 ? Math.round(kilobytes / 1024) : undefined;
  return { seconds, processor: measured ? user + system : undefined, megabytes, stdout: result.stdout };
}

const palimpsest = (...args) => timed(process.execPath, [BIN, ...args, '--json']);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const fixed = (number) => number.toFixed(2).padStart(8);

function row(label, seconds, megabytes, note = '') {
  console.log(
    `  ${label.padEnd(34)} ${fixed(seconds)} s ${megabytes === undefined ? '          ' : `${String(megabytes).padStart(6)} MB `} ${note}`,
  );
}

/** Writes the output of a program of this folder to a file. */
async function generate(file, program, items, accounts) {
  await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM(program), String(items), String(accounts)]);
    child.stdout.pipe(createWriteStream(file)).once('finish', resolve).once('error', reject);
  });
}

/** Writes one more record of an existing account, newer than all others. */
function oneMore(file, records) {
  const record = {
    id: records + 1,
    account: 'user_1',
    data_type: 'Bio',
    previous: null,
    text: 'one more',
    first_encountered_date: '2099-01-01T00:00:00Z',
    diff_html: '',
    web_archive_url: null,
  };
  writeFileSync(file, `${JSON.stringify(record)}\n`);
}

async function benchImport(records, ndjson, store) {
  const import_ = palimpsest('import', ndjson, '--store', store);
  row('import', import_.seconds, import_.megabytes, `${Math.round(records / import_.seconds).toLocaleString('en-US')} records/s`);
  if (spawnSync('sqlite3', ['-version']).status === 0) {
    const plain = join(work, 'plain.db');
    // one column of JSON, as in the store; no row contains the separator
    const load = timed('sqlite3', [
      plain,
      'CREATE TABLE record (json TEXT)',
      '.mode ascii',
      '.separator "\\037" "\\n"',
      `.import ${ndjson} record`,
    ]);
    row(
      'sqlite3 .import of the same rows',
      load.seconds,
      load.megabytes,
      `import takes ${(import_.seconds / load.seconds).toFixed(1)} times as long`,
    );
    rmSync(plain);
  } else {
    console.log('  (no sqlite3 here: import has no yardstick)');
  }
  const again = palimpsest('import', ndjson, '--store', store);
  row('import of the same again', again.seconds, again.megabytes);
  const [page, other] = [join(work, 'page.json'), join(work, 'page.db')];
  await asOnePage(ndjson, page, records);
  const onePage = palimpsest('import', page, '--store', other);
  row('import of the same as a one-line page', onePage.seconds, onePage.megabytes);
  for (const path of [page, other]) rmSync(path);
}

/** Writes lines of NDJSON as one page in one line, in the form that a client saves. */
async function asOnePage(ndjson, page, records) {
  const out = createWriteStream(page);
  out.write(`{"count":${records},"next":null,"previous":null,"results":[`);
  let before = '';
  for await (const line of createInterface({ input: createReadStream(ndjson) })) {
    if (!out.write(before + line)) await once(out, 'drain');
    before = ',';
  }
  out.end(']}');
  await once(out, 'finish');
}

function benchBuild(store, out) {
  const build = ['build', '--store', store, '--out', out, '--base-url', 'https://history.example'];
  const copy = join(work, 'copy');
  const [builds, copies, peaks] = [[], [], []];
  for (let run = 0; run <= RUNS; run += 1) {
    rmSync(out, { recursive: true, force: true });
    const built = palimpsest(...build);
    rmSync(copy, { recursive: true, force: true });
    const copied = timed('cp', ['-r', out, copy]);
    // the first pair is a warm-up
    if (run > 0) {
      builds.push(built.seconds);
      copies.push(copied.seconds);
      peaks.push(built.megabytes);
    }
  }
  rmSync(copy, { recursive: true, force: true });
  const ratios = builds.map((seconds, index) => seconds / copies[index]);
  row(
    'build into an empty folder',
    median(builds),
    Math.max(...peaks.map((peak) => peak ?? 0)) || undefined,
    `${median(ratios).toFixed(2)} × cp -r (${RUNS} pairs: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  );
  row('cp -r of that tree', median(copies));
  const unchanged = Array.from({ length: RUNS }, () => palimpsest(...build));
  row('build with nothing changed', median(unchanged.map((run) => run.seconds)), unchanged[0].megabytes);
  benchHtml(build, out);
}

/** Times a build with browse files into another folder, beside a build without them and `cp -r` of the tree. */
function benchHtml(build, out) {
  const [html, plain, copy] = [`${out}-html`, `${out}-plain`, join(work, 'copy')];
  const args = build.map((arg) => (arg === out ? html : arg));
  const without = palimpsest(...build.map((arg) => (arg === out ? plain : arg)));
  rmSync(plain, { recursive: true, force: true });
  const built = palimpsest(...args, '--html');
  const copied = timed('cp', ['-r', html, copy]);
  rmSync(copy, { recursive: true, force: true });
  const processor = built.processor === undefined ? '' : `${(built.processor / without.processor).toFixed(1)} × its processor time, `;
  const ratios = `${(built.seconds / without.seconds).toFixed(1)} × the build without, ${processor}${(built.seconds / copied.seconds).toFixed(2)} × cp -r`;
  const { build: record } = JSON.parse(built.stdout);
  row('build --html into an empty folder', built.seconds, built.megabytes, `${record.browse_files} browse files, ${ratios}`);
  const unchanged = palimpsest(...args, '--html');
  row('build --html with nothing changed', unchanged.seconds, unchanged.megabytes);
}

function benchOneMore(records, store, out) {
  const file = join(work, 'one.ndjson');
  oneMore(file, records);
  const import_ = palimpsest('import', file, '--store', store);
  row('import of one record more', import_.seconds, import_.megabytes);
  const build = palimpsest('build', '--store', store, '--out', out, '--base-url', 'https://history.example');
  const { written, unchanged } = JSON.parse(build.stdout);
  row('build with one record more', build.seconds, build.megabytes, `${written} files written, ${unchanged} unchanged`);
  const html = palimpsest('build', '--html', '--store', store, '--out', `${out}-html`, '--base-url', 'https://history.example');
  const summary = JSON.parse(html.stdout);
  row(
    'build --html with one record more',
    html.seconds,
    html.megabytes,
    `${summary.written} files written, ${summary.unchanged} unchanged`,
  );
}

async function bench(records) {
  const accounts = records / 10;
  console.log(`\n${records.toLocaleString('en-US')} records of ${accounts.toLocaleString('en-US')} accounts, 100 a page`);
  const [ndjson, store, out] = [join(work, 'records.ndjson'), join(work, 'store.db'), join(work, 'out')];
  await generate(ndjson, './records.js', records, accounts);
  await benchImport(records, ndjson, store);
  console.log(
    `  (${Math.round(statSync(ndjson).size / 1e6).toLocaleString('en-US')} MB of NDJSON, ${Math.round(statSync(store).size / 1e6).toLocaleString('en-US')} MB of store)`,
  );
  rmSync(ndjson);
  benchBuild(store, out);
  const verify = palimpsest('verify', '--out', out, '--store', store);
  row('verify with the store', verify.seconds, verify.megabytes);
  benchOneMore(records, store, out);
  for (const path of [store, out, `${out}-html`]) rmSync(path, { recursive: true, force: true });
}

/**
 * Times `observe` with one thread and with two, beside parsing the same lines. The runs take turns, and the best of each counts: other
 * programs can only slow a run down.
 */
async function benchObserve(title, program, items, accounts) {
  console.log(`\n${items.toLocaleString('en-US')} ${title}`);
  const [ndjson, store] = [join(work, 'snapshots.ndjson'), join(work, 'observed.db')];
  await generate(ndjson, program, items, accounts);
  const ways = {
    parse: () => timed(process.execPath, [PROGRAM('./parse-lines.js'), ndjson]),
    1: () => palimpsest('observe', ndjson, '--store', store, '--jobs', '1'),
    2: () => palimpsest('observe', ndjson, '--store', store, '--jobs', '2'),
  };
  const best = {};
  for (let run = 0; run < Math.ceil(RUNS / 2); run += 1) {
    for (const [way, start] of Object.entries(ways)) {
      rmSync(store, { force: true });
      const result = start();
      if (!(result.seconds > best[way]?.seconds)) best[way] = result;
    }
  }
  row('JSON.parse of the lines', best.parse.seconds, best.parse.megabytes);
  for (const jobs of [1, 2]) {
    const { seconds, megabytes } = best[jobs];
    const ratios = `${(seconds / best.parse.seconds).toFixed(2)} × JSON.parse, ${(best[1].seconds / seconds).toFixed(2)} × the speed of one thread`;
    row(`observe --jobs ${jobs}`, seconds, megabytes, `${Math.round(items / seconds).toLocaleString('en-US')} a second, ${ratios}`);
  }
  const again = palimpsest('observe', ndjson, '--store', store);
  row('observe the same again', again.seconds, again.megabytes);
  for (const path of [ndjson, store]) rmSync(path);
}

/** Returns the milliseconds to render one change after a warm-up. */
function benchDiff() {
  const bio = [
    'Reporter at @dailyplanet | dog mum | views mine #press',
    'Senior reporter at @gothamgazette | dog mum | she/her | views mine',
  ];
  const unlike = ['abcdefghijklm', 'nopqrstuvwxyz'].map((letters) =>
    Array.from({ length: 10_000 }, (_, at) => letters[(at * at) % 13]).join(''),
  );
  console.log('\ndiff_html');
  for (const [label, [before, after], times] of [
    ['a typical edit of a bio', bio, 2000],
    ['two unlike texts of 1,000', unlike.map((text) => text.slice(0, 1000)), 5],
    ['two unlike texts of 10,000', unlike, 100],
  ]) {
    for (let run = 0; run < times; run += 1) diffHtml('Bio', before, after);
    const started = performance.now();
    for (let run = 0; run < times; run += 1) diffHtml('Bio', before, after);
    console.log(`  ${label.padEnd(34)} ${fixed((performance.now() - started) / times)} ms`);
  }
}

const version = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
console.log(
  `palimpsest ${version}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, in ${work}`,
);
benchDiff();
if (Number(values.records) > 0) await bench(Number(values.records));
for (const scale of values.large ? [1, 10] : [1]) {
  const snapshots = scale * Number(values.snapshots);
  await benchObserve('snapshots of 10,000 accounts, one in two hundred changed', './snapshots.js', snapshots, 10_000);
  await benchObserve('tweets of the Twitter stream, of 10,000 accounts', './tweets.js', snapshots / 4, 10_000);
  await benchObserve('snapshots that almost all change, of 4,000 accounts', './changing-profiles.js', snapshots / 20, 4000);
}
if (values.large) await bench(Number(values.records) * 10);
