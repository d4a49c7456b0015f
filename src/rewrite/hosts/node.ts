import { inlined, responder } from '../program.ts';
import type { Host } from './host.ts';

export const node: Host = {
  name: 'node',
  title: 'Node.js, or any Fetch handler',
  testedOn: 'the real server',
  cannot: {
    'unknown-methods': 'Node.js rejects them itself, with 400',
  },
  limits: {},
  render: ({ base, browse, program }) => [
    {
      path: 'handler.mjs',
      where: 'beside server.mjs; a framework with handlers from Request to Response can use it without server.mjs',
      text: `// Answers a Request with a Response from a palimpsest tree.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${base}';

/** Accepts a Request, or an object with its method, url and headers. */
export function handle(request) {
  return ${responder(browse)}(request, BASE, read, [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]);
}

async function read(path) {
  return await readFile(join(TREE, path)).catch(() => undefined);
}

${inlined(program, 'resolve', 'respond')}`,
    },
    {
      path: 'server.mjs',
      where: 'any folder on the machine with the tree',
      text: `// Serves a palimpsest tree: TREE=/path/to/out PORT=8080 node server.mjs
import { createServer } from 'node:http';
import { handle } from './handler.mjs';

const server = createServer(async (request, response) => {
  // This is not a real Request, which rejects methods that must be answered with 405.
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
