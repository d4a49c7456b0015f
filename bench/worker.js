// npm run bench:worker -- --tree out [--rounds 20]
//
// Measures the processor time that a Cloudflare worker takes to compose a page of a tree with the composed layout, and
// counts its reads. The worker of `palimpsest rewrite` runs in workerd. Nothing is cached: the worker parses head.json for
// every page, and reads every chunk again. The chunks are in memory, because reading and sending are not composing. The time
// is that of the whole process of workerd (user and system). Needs Linux and .ci/servers/install.
import { spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    tree: { type: 'string', default: 'out' },
    pages: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '20' },
  },
});
const { tree } = values;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const { Miniflare } = createRequire(new URL('../.ci/servers/package.json', import.meta.url))('miniflare');

const files = mkdtempSync(join(tmpdir(), 'palimpsest-worker-'));
process.on('exit', () => rmSync(files, { recursive: true, force: true }));
const rewrite = ['rewrite', 'cloudflare-workers', '--layout', 'composed', '--out', tree, '--host-files', files, '--quiet'];
const { status, stderr } = spawnSync(process.execPath, [BIN, ...rewrite], { encoding: 'utf8' });
if (status !== 0) throw new Error(stderr);

/** Calls the worker many times in one request. Keeps each file that the worker read in the first round. */
const LOOP = `
import worker from './worker.js';
const files = new Map();
let reads = 0;
let largest = 0;
Object.defineProperty(globalThis, 'caches', { value: { default: { match: async () => undefined, put: async () => {} } } });
const TREE = {
  get: async (path) => {
    reads += 1;
    let bytes = files.get(path);
    if (bytes === undefined) files.set(path, (bytes = await (await fetch(FILES + path)).arrayBuffer()));
    return { body: true, etag: String(Math.random()), arrayBuffer: async () => bytes, json: async () => JSON.parse(new TextDecoder().decode(bytes)) };
  },
};
export default {
  async fetch(request) {
    const { urls, rounds } = await request.json();
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const url of urls) {
        reads = 0;
        const response = await worker.fetch(new Request(url), { TREE }, { waitUntil: () => {} });
        if (response.status !== 200) throw new Error(url + ': ' + response.status);
        bytes += Number(response.headers.get('Content-Length'));
        largest = Math.max(largest, reads);
      }
    }
    const answer = { most: largest, bytes: bytes / rounds / urls.length };
    largest = 0;
    return Response.json(answer);
  },
};
`;

const server = createServer((request, response) =>
  createReadStream(join(tree, request.url))
    .on('error', () => response.writeHead(404).end())
    .pipe(response),
);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const miniflare = new Miniflare({
  cf: false,
  modules: [
    { type: 'ESModule', path: join(files, 'loop.js'), contents: `const FILES = 'http://127.0.0.1:${server.address().port}/';\n${LOOP}` },
    { type: 'ESModule', path: join(files, 'worker.js') },
  ],
  modulesRoot: files,
  compatibilityDate: '2025-01-01',
});
const address = await miniflare.ready;

/** Returns the processor time of workerd so far, in milliseconds. */
function processorTime() {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, command, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'));
      const fields = rest.split(' ');
      if (command === 'workerd' && Number(fields[1]) === process.pid) return (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      // the process ended meanwhile
    }
  }
  throw new Error('workerd does not run');
}

async function run(urls, rounds) {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify({ urls, rounds }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const head = JSON.parse(readFileSync(join(tree, 'head.json'), 'utf8'));
const rounds = Number(values.rounds);
for (const [collection, size] of [
  ['data', head.page_size],
  ['account', head.account_page_size],
]) {
  const pages = Math.max(1, Math.ceil(head[collection].count / size));
  const count = Math.min(pages, Number(values.pages));
  // spread evenly, with the first and the last page
  const urls = Array.from({ length: count }, (_, at) => {
    const page = 1 + Math.round((at * (pages - 1)) / Math.max(1, count - 1));
    return `${head.base_url}/rest/${collection}/?page=${page}`;
  });
  await run(urls, 3);
  const before = processorTime();
  const { most, bytes } = await run(urls, rounds);
  const perPage = (processorTime() - before) / (count * rounds);
  console.log(
    `  ${collection.padEnd(8)} ${head[collection].count.toLocaleString('en-US').padStart(10)} items  ${perPage.toFixed(2)} ms of processor time a page` +
      `  ${Math.round(bytes / 1000)} KB a page  at most ${most} reads (${count} of ${pages.toLocaleString('en-US')} pages, ${rounds} rounds)`,
  );
}
await miniflare.dispose();
server.close();
