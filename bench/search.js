// npm run bench:search [-- --accounts 100000]
//
// Builds the search index of generated accounts, and prints its size, the time and the memory. If Chromium and
// .ci/servers are installed, it types the names of some accounts into the search of a page, from file:// and from http,
// and prints the time from each keystroke to the list of results. Each name is typed on a new page.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { clientScript } from '../dist/browse/assets.js';
import { searchFiles } from '../dist/browse/search/search-index.js';

/** The tools of the tests. */
const SERVERS = fileURLToPath(new URL('../.ci/servers/node_modules/', import.meta.url));

const { values } = parseArgs({ options: { accounts: { type: 'string', default: '100000' }, names: { type: 'string', default: '30' } } });
const SYLLABLES = 'ka ro mi ta lu ne so vi po da gu ze wi fo la be ny xo qu sha'.split(' ');
const FIRST = 'Nina Olga Ivan Maria Anna Juan Carlos Ahmed Fatima Wei Emma Liam James Mary John Linda Sarah Karen'.split(' ');
const LAST = 'Smith Jones Garcia Müller Davis Lopez Wilson Kowalski Lee Perez Clark Robinson Martin Nowak'.split(' ');

let state = 1;
/** Returns a whole number below `limit` (mulberry32: the same on every machine). */
function below(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit);
}
const pick = (list) => list[below(list.length)];
const word = () => Array.from({ length: 2 + below(3) }, () => pick(SYLLABLES)).join('');

function* generated(count) {
  state = 1;
  for (let number = 0; number < count; number += 1) {
    const [first, last] = [below(2) === 0 ? pick(FIRST) : word(), below(2) === 0 ? pick(LAST) : word()];
    const handle = [`${first}_${last}`, `${first}${last}`, word(), `the${word()}`, `${last}${first[0]}`][below(5)];
    const display_name = below(12) === 0 ? pick(['田中太郎', 'محمد علي', '🌹']) : `${first} ${last}${below(4) === 0 ? ' 🌹' : ''}`;
    const former_handles = below(5) === 0 ? [{ handle: word() + below(1000), seen_to: 0 }] : [];
    yield { screen_name: `${handle.slice(0, 12)}${number.toString(36)}`, display_name, former_handles, records: 1 + below(50) };
  }
}

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palimpsest-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

function write(path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function* accounts(isWanted = () => true) {
  for (const each of generated(Number(values.accounts))) if (isWanted(each.screen_name)) yield each;
}

const started = [performance.now(), process.cpuUsage()];
let [files, bytes, largest] = [0, 0, 0];
for (const { path, text } of searchFiles(accounts)) {
  const size = text.length;
  [files, bytes, largest] = [files + 1, bytes + size, Math.max(largest, size)];
  write(path, Buffer.from(text, 'latin1'));
}
const cpu = process.cpuUsage(started[1]);
console.log(`${values.accounts} accounts: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, the largest ${(largest / 1000).toFixed(1)} kB`);
console.log(`built and written in ${((performance.now() - started[0]) / 1000).toFixed(1)} s, ${(cpu.user / 1e6).toFixed(1)} s of CPU`);
console.log(`memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`);

/** Runs in the page: types a text letter by letter. Returns the milliseconds of each keystroke, and the text so far. */
const TYPE = `async (text) => {
  const [input, status] = [document.querySelector('#query'), document.querySelector('.search-status')];
  const times = [];
  input.focus();
  for (let length = 1; length <= text.length; length += 1) {
    const begin = performance.now();
    const shown = new Promise((resolve) => {
      const observer = new MutationObserver(() => { observer.disconnect(); resolve(); });
      observer.observe(status, { childList: true });
    });
    input.value = text.slice(0, length);
    input.dispatchEvent(new Event('input'));
    await shown;
    times.push([performance.now() - begin, text.slice(0, length)]);
  }
  return times;
}`;

async function typing(label, base, names) {
  const library = join(SERVERS, 'playwright-core/index.mjs');
  if (!existsSync(library) || !existsSync('/usr/bin/chromium')) return console.log(`${label}: no Chromium or no playwright-core`);
  const { chromium } = await import(pathToFileURL(library).href);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  const times = [];
  for (const name of names) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${base}page.html`);
    times.push(...(await page.evaluate(`(${TYPE})(${JSON.stringify(name)})`)));
    await page.context().close();
  }
  await browser.close();
  times.sort(([a], [b]) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))][0].toFixed(1);
  const slowest = times.slice(-3).map(([, typed]) => JSON.stringify(typed));
  console.log(
    `${label}: ${times.length} keystrokes, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms; the slowest: ${slowest.join(', ')}`,
  );
}

write('browse/assets/browse.js', clientScript());
write(
  'page.html',
  '<!doctype html><meta charset=utf-8><title>search</title><body data-root=""><div data-search></div><script src="browse/assets/browse.js"></script>',
);
const names = [...generated(Number(values.names))].flatMap(({ screen_name, display_name }) => [screen_name, display_name]);
await typing('file://', `${pathToFileURL(folder).href}/`, names);
const server = createServer(({ url }, response) => {
  const path = join(folder, decodeURIComponent(new URL(url, 'http://localhost').pathname));
  if (!existsSync(path)) return void response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': path.endsWith('.js') ? 'text/javascript' : 'text/html' }).end(readFileSync(path));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await typing('http://', `http://127.0.0.1:${server.address().port}/`, names);
server.close();
server.closeAllConnections();
