// Starts a server for a tree, requests pages from it one after another, and stops it:
//   node bench/requests.js PROGRAM OUT REQUESTS
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const [program, out, requests] = process.argv.slice(2);
const server = spawn(process.execPath, [program, 'serve', '--out', out, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const { url, build } = JSON.parse(line);
for (let request = 0; request < Number(requests); request += 1) {
  const response = await fetch(`${url}/rest/data/?page=${1 + (request % build.data_pages)}`);
  if (response.status !== 200) throw new Error(`page ${request} has status ${response.status}`);
  await response.arrayBuffer();
}
server.kill('SIGTERM');
await once(server, 'exit');
