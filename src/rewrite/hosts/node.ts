import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const node: Host = {
  name: 'node',
  title: 'Node.js, or any Fetch handler',
  testedOn: 'the real server',
  cannot: {
    'unknown-methods': 'Node.js refuses them by itself, with 400',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'handler.mjs',
      where: 'beside server.mjs; a framework that takes a handler from Request to Response can use it by itself',
      text: `// Answers a Request with a Response from a tree of palimpsest.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

// The lines that matter: where the tree is, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${base}';

/** Takes a Request, or the method, URL and headers of one. */
export function handle(request) {
  return respond(request, BASE, read, [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]);
}

async function read(path) {
  return await readFile(join(TREE, path)).catch(() => undefined);
}

${inlined(program, 'resolve', 'respond')}`,
    },
    {
      path: 'server.mjs',
      where: 'any folder of the machine that has the tree',
      text: `// A server for a tree of palimpsest: TREE=/path/to/out PORT=8080 node server.mjs
import { createServer } from 'node:http';
import { handle } from './handler.mjs';

const server = createServer(async (request, response) => {
  // No Request is made of it: that would refuse methods that have to be answered with 405.
  const headers = { get: (name) => request.headers[name.toLowerCase()] ?? null };
  try {
    const answer = await handle({ method: request.method, url: \`http://tree\${request.url}\`, headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    console.error(error);
    response.destroy();
  }
});

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '127.0.0.1');
`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 node server.mjs'],
};
