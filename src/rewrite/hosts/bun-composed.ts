import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';
import { NO_COMPRESSED_FILES } from './no-compressed-files.ts';

/** Bun with a tree of the composed layout on its disk. */
export const bunComposed: ComposedHost = {
  testedOn: 'the real server',
  cannot: {
    'exact-path': 'Bun removes dot segments before a script sees the path',
    'unknown-methods': 'Bun closes the connection',
    ...NO_COMPRESSED_FILES,
  },
  render: ({ base, program }) => [
    {
      path: 'server.js',
      where: 'any folder on the machine with the tree',
      text: `// Composes pages from a palimpsest tree: TREE=/path/to/out PORT=3000 bun server.js

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${base}';

const readHead = headReader(read);
const readChunk = chunkReader(read);

Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: process.env.HOST ?? '0.0.0.0',
  fetch: (request) => respondComposed(request, BASE, readHead, readChunk),
});

async function read(path) {
  return await Bun.file(\`\${TREE}/\${path}\`).bytes().catch(() => undefined);
}

${inlinedComposed(program)}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 bun server.js'],
};
