import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';
import { NO_COMPRESSED_FILES } from './no-compressed-files.ts';
import { nodeServer } from './node-server.ts';

/** Node.js with a tree of the composed layout on its disk. */
export const nodeComposed: ComposedHost = {
  testedOn: 'the real server',
  cannot: {
    'unknown-methods': 'Node.js rejects them itself, with 400',
    ...NO_COMPRESSED_FILES,
  },
  render: ({ base, program }) => [
    {
      path: 'handler.mjs',
      where: 'beside server.mjs; a framework with handlers from Request to Response can use it without server.mjs',
      text: `// Answers a Request with a Response. Composes each page from the chunks of a palimpsest tree.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${base}';

const readHead = headReader(read);
const readChunk = chunkReader(read);

/** Accepts a Request, or an object with its method, url and headers. */
export function handle(request) {
  return respondComposed(request, BASE, readHead, readChunk);
}

async function read(path) {
  return await readFile(join(TREE, path)).catch(() => undefined);
}

${inlinedComposed(program)}`,
    },
    nodeServer,
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 node server.mjs'],
};
