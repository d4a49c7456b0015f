// npm run bench [-- --large] [-- --folder /dev/shm] [-- --against REVISION]
//
// Times whole processes on a generated store. Prints the median and the range of the elapsed time, the processor time and the peak
// of the memory, and each figure beside a yardstick from the same run:
// - build: `cp -r` of the built tree; into a ZIP: a build into a folder
// - import: parsing the same lines and inserting them into one text column, and `sqlite3 .import` of the same rows
// - import and build: Eleventy, which is installed for it
// - observe: parsing the same lines
// --runs sets the number of pairs of a build and its yardstick. Works that take long run a third as often.
// --records 0 leaves out everything but observe.
// --against compares this checkout with another revision instead, such as HEAD~1: the same works in pairs.
// The time of one diff_html is printed first.
// All files are in one folder (default: /dev/shm if it exists), so that the disk does not add noise.
// --large runs each step once with a tenth of --records, with --records, and with ten times as many. --plot names a file for the plot.
// At 10,000,000 records it needs 25 GB, so pass a folder on a disk.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diffHtml } from '../dist/diff/diff-html.js';
import { compare } from './against.js';
import { installEleventy } from './eleventy.js';
import { generated } from './generated.js';
import { growthTable, measureGrowth, writeGrowthPlot } from './growth.js';
import { heading, inRounds, machine, median, ratios, repeated, row, spread, timed, workFolder } from './measure.js';
import { checkOut } from './revision.js';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    large: { type: 'boolean', default: false },
    plot: { type: 'string' },
    folder: { type: 'string' },
    runs: { type: 'string', default: '9' },
    records: { type: 'string', default: '1000000' },
    snapshots: { type: 'string', default: '800000' },
  },
});
const RUNS = Number(values.runs);
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const PROGRAM = (name) => fileURLToPath(new URL(name, import.meta.url));
const work = workFolder(values.folder);

const palimpsest = (...args) => timed(process.execPath, [BIN, ...args, '--json']);
const remove = (path) => rmSync(path, { recursive: true, force: true });
const seconds = (results) => median(results.map((result) => result.seconds));
const rate = (items, results) => `${Math.round(items / seconds(results)).toLocaleString('en-US')} a second`;

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

/** @param runs the number of runs of each work that takes long */
async function benchImport(records, ndjson, store, runs) {
  const plain = join(work, 'plain.db');
  const withoutFile = (path, run) => () => {
    remove(path);
    return run();
  };
  const commands = [
    withoutFile(store, () => palimpsest('import', ndjson, '--store', store)),
    withoutFile(plain, () => timed(process.execPath, [PROGRAM('./parse-lines.js'), ndjson, plain])),
  ];
  // one column of JSON, as in the store; no row contains the separator
  const load = ['CREATE TABLE record (json TEXT)', '.mode ascii', '.separator "\\037" "\\n"', `.import ${ndjson} record`];
  if (spawnSync('sqlite3', ['-version']).status === 0) commands.push(withoutFile(plain, () => timed('sqlite3', [plain, ...load])));
  const [imports, inserts, sqliteImports] = inRounds(runs, ...commands);
  const ratioTo = (others, figure) => spread(ratios(imports, others, figure));
  const processor = imports[0].processor === undefined ? '' : `, processor ${ratioTo(inserts, 'processor')} ×`;
  row('import', imports, `${rate(records, imports)}, ${ratioTo(inserts, 'seconds')} × JSON.parse and insert${processor}`);
  row('JSON.parse and insert, one column', inserts);
  if (sqliteImports === undefined) console.log('  (no sqlite3 here: import is not compared with it)');
  else row('sqlite3 .import of the same rows', sqliteImports, `import takes ${ratioTo(sqliteImports, 'seconds')} × as long`);
  remove(plain);
  row(
    'import of the same again',
    repeated(runs, () => palimpsest('import', ndjson, '--store', store)),
  );
  const [page, other] = [join(work, 'page.json'), join(work, 'page.db')];
  await asOnePage(ndjson, page, records);
  const asPage = repeated(
    runs,
    () => palimpsest('import', page, '--store', other),
    () => remove(other),
  );
  row('import of the same as a one-line page', asPage);
  for (const path of [page, other]) remove(path);
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

/** @param runs the number of runs of each work that takes long */
function benchBuild(store, out, runs) {
  const build = ['build', '--store', store, '--out', out, '--base-url', 'https://history.example'];
  const [copy, once] = [join(work, 'copy'), `${out}-once`];
  const built = () => {
    remove(once);
    return palimpsest(...build.map((arg) => (arg === out ? once : arg)));
  };
  const copied = () => {
    remove(copy);
    return timed('cp', ['-r', out, copy]);
  };
  palimpsest(...build);
  const [builds, copies] = inRounds(RUNS, built, copied);
  const processor = ratios(builds, copies, 'processor');
  const note = `${spread(ratios(builds, copies, 'seconds'))} × cp -r${processor.length === 0 ? '' : `, processor ${spread(processor)} ×`}`;
  row('build into an empty folder', builds, note);
  row('cp -r of that tree', copies);
  for (const path of [copy, once]) remove(path);
  const unchanged = repeated(RUNS, () => palimpsest(...build));
  row('build with nothing changed', unchanged);
  benchHtml(build, out, runs);
  benchZip(build, out, RUNS);
  benchZip(build, out, runs, '--html');
}

/** Times a build into a new ZIP, beside a build into a new folder. */
function benchZip(build, out, runs, ...options) {
  const zip = `${out}${options.join('')}.zip`;
  const into = (path) => () => {
    remove(path);
    return palimpsest(...build.map((arg) => (arg === out ? path : arg)), ...options);
  };
  const [zips, folders] = inRounds(runs, into(zip), into(`${out}-once`));
  remove(`${out}-once`);
  const megabytes = Math.round(statSync(zip).size / 1e6);
  row(
    ['build', ...options, 'into a new ZIP'].join(' '),
    zips,
    `${spread(ratios(zips, folders, 'seconds'))} × a new folder, ${megabytes} MB`,
  );
}

/** Times a build with HTML pages into another folder, beside a build without them and `cp -r` of the tree. */
function benchHtml(build, out, runs) {
  const [html, plain, copy] = [`${out}-html`, `${out}-plain`, join(work, 'copy')];
  const args = build.map((arg) => (arg === out ? html : arg));
  const prepare = () => {
    for (const path of [html, plain, copy]) remove(path);
  };
  const works = () => [
    palimpsest(...build.map((arg) => (arg === out ? plain : arg))),
    palimpsest(...args, '--html'),
    timed('cp', ['-r', html, copy]),
  ];
  const triples = repeated(runs, works, prepare);
  const [without, built, copied] = [0, 1, 2].map((index) => triples.map((triple) => triple[index]));
  for (const path of [copy, plain]) remove(path);
  const of = (others, figure) => spread(ratios(built, others, figure));
  const processor = built[0].processor === undefined ? '' : `${of(without, 'processor')} × its processor time, `;
  const browseFiles = JSON.parse(built[0].stdout).build.browse_files;
  const note = `${browseFiles} files of HTML pages, ${of(without, 'seconds')} × the build without, ${processor}${of(copied, 'seconds')} × cp -r`;
  row('build --html into an empty folder', built, note);
  const unchanged = repeated(RUNS, () => palimpsest(...args, '--html'));
  row('build --html with nothing changed', unchanged);
}

function benchOneMore(records, store, out) {
  const file = join(work, 'one.ndjson');
  oneMore(file, records);
  row('import of one record more', [palimpsest('import', file, '--store', store)]);
  for (const [label, more, folder] of [
    ['build with one record more', [], out],
    ['build --html with one record more', ['--html'], `${out}-html`],
    ['build of a ZIP with one record more', [], `${out}.zip`],
    ['build --html of a ZIP with one record more', ['--html'], `${out}--html.zip`],
  ]) {
    const build = palimpsest('build', ...more, '--store', store, '--out', folder, '--base-url', 'https://history.example');
    const { written, unchanged } = JSON.parse(build.stdout);
    row(label, [build], `${written} files written, ${unchanged} unchanged`);
  }
}

/** Times a full run from records to pages, beside Eleventy, which writes the pages of the feed alone. */
function benchFullRun(ndjson, runs) {
  const eleventy = installEleventy(work, ndjson);
  if (eleventy === undefined) return console.log('  (Eleventy cannot be installed: import and build are not compared with it)');
  const [store, out] = ['nothing.db', 'nothing'].map((name) => join(work, name));
  const importAndBuild = () => {
    for (const path of [store, out]) remove(path);
    const steps = [palimpsest('import', ndjson, '--store', store), palimpsest('build', '--store', store, '--out', out)];
    const sum = (figure) => steps[0][figure] && steps[0][figure] + steps[1][figure];
    return {
      seconds: sum('seconds'),
      processor: sum('processor'),
      megabytes: steps[0].megabytes && Math.max(...steps.map((step) => step.megabytes)),
    };
  };
  const [ours, others] = inRounds(runs, importAndBuild, eleventy);
  row('import and build', ours, `both collections, ${spread(ratios(ours, others, 'seconds'))} × Eleventy`);
  row('Eleventy, pages of the feed', others);
  for (const path of [store, out, join(work, 'eleventy')]) remove(path);
}

/** @param runs the number of runs of each work that takes long */
async function bench(records, runs) {
  const accounts = records / 10;
  heading(`${records.toLocaleString('en-US')} records of ${accounts.toLocaleString('en-US')} accounts, 100 a page`);
  const [ndjson, store, out] = [join(work, 'records.ndjson'), join(work, 'store.db'), join(work, 'out')];
  await generated(ndjson, './records.js', records, accounts);
  await benchImport(records, ndjson, store, runs);
  console.log(
    `  (${Math.round(statSync(ndjson).size / 1e6).toLocaleString('en-US')} MB of NDJSON, ${Math.round(statSync(store).size / 1e6).toLocaleString('en-US')} MB of store)`,
  );
  benchFullRun(ndjson, runs);
  rmSync(ndjson);
  benchBuild(store, out, runs);
  row(
    'verify with the store',
    repeated(runs, () => palimpsest('verify', '--out', out, '--store', store)),
  );
  benchOneMore(records, store, out);
  for (const path of [store, out, `${out}-html`, `${out}.zip`, `${out}--html.zip`]) remove(path);
}

/** Compares this checkout with another revision on the same records. */
async function benchAgainst(reference, records) {
  const older = checkOut(reference, join(work, 'revision'));
  const [ndjson, one] = [join(work, 'records.ndjson'), join(work, 'one.ndjson')];
  await generated(ndjson, './records.js', records, records / 10);
  oneMore(one, records);
  console.log(`\n${records.toLocaleString('en-US')} records of ${(records / 10).toLocaleString('en-US')} accounts, 100 a page`);
  compare({ name: 'this checkout', program: BIN }, older, { ndjson, one }, work, RUNS);
}

/** Times `observe`, beside parsing the same lines. The runs take turns. */
async function benchObserve(title, program, items, accounts) {
  heading(`${items.toLocaleString('en-US')} ${title}`);
  const [ndjson, store] = [join(work, 'snapshots.ndjson'), join(work, 'observed.db')];
  await generated(ndjson, program, items, accounts);
  const pairs = repeated(Math.ceil(RUNS / 3), () => {
    remove(store);
    return [timed(process.execPath, [PROGRAM('./parse-lines.js'), ndjson]), palimpsest('observe', ndjson, '--store', store)];
  });
  const [parse, observe] = [0, 1].map((index) => pairs.map((pair) => pair[index]));
  row('JSON.parse of the lines', parse);
  row('observe', observe, `${rate(items, observe)}, ${spread(ratios(observe, parse, 'seconds'))} × JSON.parse`);
  row(
    'observe the same again',
    repeated(Math.ceil(RUNS / 3), () => palimpsest('observe', ndjson, '--store', store)),
  );
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
    console.log(`  ${label.padEnd(34)} ${((performance.now() - started) / times).toFixed(2).padStart(8)} ms`);
  }
}

async function benchAll() {
  benchDiff();
  const records = Number(values.records);
  if (records > 0) await bench(records, Math.ceil(RUNS / 3));
  const snapshots = Number(values.snapshots);
  await benchObserve('snapshots of 10,000 accounts, one in two hundred changed', './snapshots.js', snapshots, 10_000);
  await benchObserve('tweets of the Twitter stream, of 10,000 accounts', './tweets.js', snapshots / 4, 10_000);
  await benchObserve('snapshots that almost all change, of 4,000 accounts', './changing-profiles.js', snapshots / 20, 4000);
}

/** Returns the steps of a night for a number of records, and of as many snapshots. */
function nightSteps(records) {
  const [ndjson, one, store, out] = ['records.ndjson', 'one.ndjson', 'store.db', 'out'].map((name) => join(work, name));
  const [snapshots, observed] = ['snapshots.ndjson', 'observed.db'].map((name) => join(work, name));
  const build = () => palimpsest('build', '--store', store, '--out', out, '--base-url', 'https://history.example');
  return [
    ['generate', () => generated(ndjson, './records.js', records, records / 20)],
    ['import', () => palimpsest('import', ndjson, '--store', store)],
    ['delete the input', () => remove(ndjson)],
    ['build', build],
    ['build, nothing changed', build],
    ['verify', () => palimpsest('verify', '--out', out, '--store', store)],
    ['one record', () => oneMore(one, records)],
    ['import of one record more', () => palimpsest('import', one, '--store', store)],
    ['build, one record more', build],
    ['delete store and tree', () => [store, out].forEach(remove)],
    ['generate', () => generated(snapshots, './snapshots.js', records, 10_000)],
    ['observe as many snapshots', () => palimpsest('observe', snapshots, '--store', observed)],
  ];
}

async function benchGrowth() {
  const records = Number(values.records);
  const runs = await measureGrowth([records / 10, records, records * 10], nightSteps, work);
  console.log(growthTable(runs));
  if (values.plot !== undefined) writeGrowthPlot(values.plot, runs);
}

const version = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
console.log(`palimpsest ${version}, ${machine()}, in ${work}`);
if (values.large) await benchGrowth();
else if (values.against === undefined) await benchAll();
else await benchAgainst(values.against, Number(values.records));
