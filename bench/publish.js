// Compares publishing with other tools on the same server, in the same run:
//   node bench/publish.js --pages 10000 --endpoint http://127.0.0.1:7480
//   node bench/publish.js --pages 10000 --larger      also ten times as many small pages, to measure memory
// Start the server first: STORE=bluestore .ci/object-store up /tmp/store 7480.
// rclone and aws are included if they are installed. A proxy in front of the server counts the requests.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000' },
    larger: { type: 'boolean', default: false },
    endpoint: { type: 'string', default: 'http://127.0.0.1:7480' },
  },
});
const pages = Number(values.pages);
const PER_PAGE = values.larger ? 10 : 100;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
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
const isInstalled = (command) => spawnSync('which', [command]).status === 0;
const bucket = `bench-${Date.now()}`;
const publish = (target, out, more = []) => {
  const store = target.startsWith('s3:') ? ['--endpoint', endpoint] : [];
  return ['node', [BIN, 'publish', target, '--out', out, ...store, ...more]];
};
/** The commands to compare, for a tree. */
const toolsFor = (out) =>
  [
    ['palimpsest publish', ...publish(`s3://${bucket}/palimpsest`, out)],
    ['rclone sync --checksum', 'rclone', ['sync', '--checksum', '--transfers', '32', '--checkers', '32', out, `store:${bucket}/rclone`]],
    ['aws s3 sync', 'aws', ['s3', 'sync', '--quiet', '--delete', '--endpoint-url', endpoint, out, `s3://${bucket}/aws`]],
  ].filter(([, command]) => isInstalled(command));
/** The commands to compare with themselves at another size. */
const targetsFor = (out, count) =>
  [`s3://${bucket}/${count}`, `${out}-site`].flatMap((target) => {
    const name = target.startsWith('s3') ? 'publish s3://' : 'publish to a folder';
    return [
      [`${name} --dry-run, ${count} pages`, ...publish(target, out, ['--dry-run'])],
      [`${name}, ${count} pages`, ...publish(target, out)],
    ];
  });

/** Runs a process; returns the bytes on the wire, the duration and the peak of its memory. */
async function measured([name, command, args], run) {
  Object.assign(counted, { requests: 0, bytes: 0 });
  const times = join(folder, 'times');
  const started = performance.now();
  const child = spawn('/usr/bin/time', ['-f', '%M', '-o', times, command, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const memory = Math.round(Number(readFileSync(times, 'utf8')) / 1024);
  console.log(`| ${run} | ${name} | ${counted.requests} | ${(counted.bytes / 1e6).toFixed(1)} MB | ${seconds} s | ${memory} MB |`);
}

function grow(out, from, to) {
  const generated = execFileSync(process.execPath, [fileURLToPath(new URL('./records.js', import.meta.url)), String(to), String(to / 10)], {
    maxBuffer: 2 ** 32,
  });
  let start = 0;
  for (let line = 0; line < from; line += 1) start = generated.indexOf(10, start) + 1;
  const store = `${out}.db`;
  execFileSync(process.execPath, [BIN, 'import', '-', '--store', store, '--quiet'], { input: generated.subarray(start) });
  const site = ['--base-url', 'https://example.org', '--page-size', String(PER_PAGE)];
  execFileSync(process.execPath, [BIN, 'build', '--store', store, '--out', out, ...site, '--quiet']);
}

/** Publishes for the first time, without changes, and with one more record, each with all tools. */
async function publishThreeTimes(out, count, tools) {
  const records = count * PER_PAGE;
  grow(out, 0, records - 1);
  for (const tool of tools) await measured(tool, 'first');
  for (const tool of tools) await measured(tool, 'nothing new');
  grow(out, records - 1, records);
  for (const tool of tools) await measured(tool, 'one record');
}

try {
  // not through the proxy: it runs in this process, which is blocked
  spawnSync('rclone', ['mkdir', `store:${bucket}`], { env: { ...env, RCLONE_CONFIG_STORE_ENDPOINT: values.endpoint } });
  console.log('| run | tool | requests | sent | time | peak memory |\n| --- | --- | --- | --- | --- | --- |');
  for (const count of values.larger ? [pages, pages * 10] : [pages]) {
    const out = join(folder, `out-${count}`);
    await publishThreeTimes(out, count, values.larger ? targetsFor(out, count) : toolsFor(out));
  }
} finally {
  proxy.close();
  proxy.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
