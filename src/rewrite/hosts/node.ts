import { inlined } from '../program.ts';
import type { Host } from './host.ts';
import { nodeServer } from './node-server.ts';

export const node: Host = {
  name: 'node',
  title: 'Node.js, or any Fetch handler',
  testedOn: 'the real server',
  cannot: {
    'unknown-methods': 'Node.js rejects them itself, with 400',
  },
  limits: {},
  render: ({ base, program }) => [
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
  return respond(request, BASE, read, [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]);
}

async function read(path) {
  return await readFile(join(TREE, path)).catch(() => undefined);
}

${inlined(program, 'resolve', 'respond')}`,
    },
    nodeServer,
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 node server.mjs'],
};
