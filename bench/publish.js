// Times publishing against other tools on the same server, in the same run:
//   node bench/publish.js --pages 10000 --endpoint http://127.0.0.1:7480
// The server is yours: STORE=bluestore .ci/object-store up /tmp/store 7480. rclone and aws are compared with
// where they are installed. Requests are counted by a proxy that only counts, before the server.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1000' }, endpoint: { type: 'string', default: 'http://127.0.0.1:7480' } },
});
const pages = Number(values.pages);
const PER_PAGE = 100;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
const upstream = new URL(values.endpoint);
const counted = { requests: 0, bytes: 0 };

const proxy = createServer((incoming, outgoing) => {
  counted.requests += 1;
  const { hostname, port } = upstream;
  const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.on('data', (piece) => {
    counted.bytes += piece.length;
  });
  incoming.pipe(onward);
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${proxy.address().port}`;

const { AWS_CA_BUNDLE: _, ...rest } = process.env;
const env = {
  ...rest,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'testtest',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required',
  RCLONE_CONFIG: '/dev/null',
  RCLONE_CONFIG_STORE_TYPE: 's3',
  RCLONE_CONFIG_STORE_PROVIDER: 'Ceph',
  RCLONE_CONFIG_STORE_ENDPOINT: endpoint,
  RCLONE_CONFIG_STORE_ENV_AUTH: 'true',
};
const there = (command) => spawnSync('which', [command]).status === 0;
const bucket = `bench-${Date.now()}`;
const TOOLS = [
  ['palimpsest publish', 'node', [BIN, 'publish', `s3://${bucket}/palimpsest`, '--out', out, '--endpoint', endpoint, '--quiet']],
  ['rclone sync --checksum', 'rclone', ['sync', '--checksum', '--transfers', '32', '--checkers', '32', out, `store:${bucket}/rclone`]],
  ['aws s3 sync', 'aws', ['s3', 'sync', '--quiet', '--delete', '--endpoint-url', endpoint, out, `s3://${bucket}/aws`]],
].filter(([, command]) => there(command));

/** Runs a whole process; gives what went over the wire, how long it took and its largest memory. */
async function measured([name, command, args], night) {
  Object.assign(counted, { requests: 0, bytes: 0 });
  const times = join(folder, 'times');
  const started = performance.now();
  const child = spawn('/usr/bin/time', ['-f', '%M', '-o', times, command, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const memory = Math.round(Number(readFileSync(times, 'utf8')) / 1024);
  console.log(`| ${night} | ${name} | ${counted.requests} | ${(counted.bytes / 1e6).toFixed(1)} MB | ${seconds} s | ${memory} MB |`);
}

function grow(from, to) {
  const generated = execFileSync(process.execPath, [fileURLToPath(new URL('./records.js', import.meta.url)), String(to), String(to / 10)], {
    maxBuffer: 2 ** 32,
  });
  let start = 0;
  for (let line = 0; line < from; line += 1) start = generated.indexOf(10, start) + 1;
  execFileSync(process.execPath, [BIN, 'import', '-', '--store', store, '--quiet'], { input: generated.subarray(start) });
  execFileSync(process.execPath, [BIN, 'build', '--store', store, '--out', out, '--base-url', 'https://example.org', '--quiet']);
}

try {
  // not through the proxy, which waits for this process
  spawnSync('rclone', ['mkdir', `store:${bucket}`], { env: { ...env, RCLONE_CONFIG_STORE_ENDPOINT: values.endpoint } });
  const records = pages * PER_PAGE;
  grow(0, records - 1);
  console.log('| night | tool | requests | sent | time | peak memory |\n| --- | --- | --- | --- | --- | --- |');
  for (const tool of TOOLS) await measured(tool, 'first');
  for (const tool of TOOLS) await measured(tool, 'nothing new');
  grow(records - 1, records);
  for (const tool of TOOLS) await measured(tool, 'one record');
} finally {
  proxy.close();
  proxy.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
