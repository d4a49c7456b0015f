import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';
import { NO_COMPRESSED_FILES } from './no-compressed-files.ts';

/** Deno with a tree of the composed layout on its disk. */
export const denoComposed: ComposedHost = {
  testedOn: 'the real server',
  cannot: NO_COMPRESSED_FILES,
  render: ({ base, program }) => [
    {
      path: 'main.js',
      where: 'any folder on the machine with the tree; for Deno Deploy, beside the folder of the tree',
      text: `// Composes pages from a palimpsest tree: TREE=out PORT=8000 deno run --allow-net --allow-read --allow-env main.js
// On Deno Deploy this file is the entry point. Deploy it together with the tree.

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = Deno.env.get('TREE') ?? 'out';
const BASE = '${base}';

const readHead = headReader(read);
const readChunk = chunkReader(read);

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 8000), hostname: Deno.env.get('HOST') ?? '0.0.0.0' }, (request) =>
  respondComposed(request, BASE, readHead, readChunk));

async function read(path) {
  return await Deno.readFile(\`\${TREE}/\${path}\`).catch(() => undefined);
}

${inlinedComposed(program)}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 deno run --allow-net --allow-read --allow-env main.js'],
};
