import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const deno: Host = {
  name: 'deno',
  title: 'Deno, Deno Deploy',
  testedOn: 'the real server',
  cannot: {},
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'main.js',
      where: 'any folder on the machine with the tree; for Deno Deploy, beside the folder of the tree',
      text: `// Answers from a palimpsest tree: TREE=out PORT=8000 deno run --allow-net --allow-read --allow-env main.js
// On Deno Deploy this file is the entry point. Deploy it together with the tree.

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = Deno.env.get('TREE') ?? 'out';
const BASE = '${base}';

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 8000), hostname: Deno.env.get('HOST') ?? '0.0.0.0' }, (request) =>
  respond(request, BASE, read, [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]));

async function read(path) {
  return await Deno.readFile(\`\${TREE}/\${path}\`).catch(() => undefined);
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 deno run --allow-net --allow-read --allow-env main.js'],
};
