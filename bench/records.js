// Writes generated change records as NDJSON to standard output, oldest first:
//   node bench/records.js RECORDS ACCOUNTS
// The same arguments give the same bytes. A record is about 430 bytes, as in the real data behind the design.
// The order of accounts is random, so the records of one account are spread over the feed.
import { once } from 'node:events';

const [records = 1000, accounts = 100] = process.argv.slice(2).map(Number);
const WORDS =
  'the quick brown fox jumps over a lazy dog while mother of three kids works at the mill 🌹 views are mine @somebody #archive kırmızı жизнь 東京 &amp; email me'.split(
    ' ',
  );
const TYPES = ['Bio', 'Bio', 'Bio', 'Name', 'Location', 'Website', 'Verified'];

let state = 1;
/** Returns a whole number below `limit` (mulberry32: the same on every machine). */
function below(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit);
}

function words() {
  return Array.from({ length: 4 + below(17) }, () => WORDS[below(WORDS.length)]).join(' ');
}

function value(type) {
  return type === 'Verified' ? String(below(2) === 1) : words();
}

/** Recreates an earlier value from the state of the generator, because ten million values do not fit in memory. */
function valueFrom(made, type) {
  const now = state;
  state = made;
  const text = value(type);
  state = now;
  return text;
}

function markup(type, before, text) {
  const [old, fresh] = [before, text].map((value) => value.replaceAll('&', '&amp;'));
  if (type === 'Location' || type === 'Website') return `\n<del>${old}</del><br /><ins>${fresh}</ins>\n`;
  if (old === fresh) return `<span>${fresh}</span>`;
  const removed = old === '' ? '' : `<del style="background:#ffe6e6;">${old}</del>`;
  return `${removed}<ins style="background:#e6ffe6;">${fresh}</ins>`;
}

const newest = new Map();
const start = Date.UTC(2012, 0, 1);

function record(id) {
  const account = `user_${1 + below(accounts)}`;
  const data_type = TYPES[below(TYPES.length)];
  const key = `${account} ${data_type}`;
  const before = newest.get(key);
  newest.set(key, { id, made: state });
  const text = value(data_type);
  const seconds = new Date(start + id * 30_000).toISOString().slice(0, 19);
  const fraction = below(2) === 1 ? `.${String(below(1_000_000)).padStart(6, '0')}` : '';
  const first_encountered_date = `${seconds}${fraction}Z`;
  const diff_html = markup(data_type, before === undefined ? '' : valueFrom(before.made, data_type), text);
  return { id, account, data_type, previous: before?.id ?? null, text, first_encountered_date, diff_html, web_archive_url: null };
}

for (let id = 1; id <= records; ) {
  let lines = '';
  for (const end = Math.min(records, id + 999); id <= end; id += 1) lines += `${JSON.stringify(record(id))}\n`;
  if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
}
