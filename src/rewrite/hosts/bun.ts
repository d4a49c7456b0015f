import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const bun: Host = {
  name: 'bun',
  title: 'Bun',
  testedOn: 'the real server',
  cannot: {
    'exact-path': 'Bun removes dot segments before a script sees the path',
    'unknown-methods': 'Bun closes the connection',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'server.js',
      where: 'any folder on the machine with the tree',
      text: `// Answers from a palimpsest tree: TREE=/path/to/out PORT=3000 bun server.js

// Check these lines: the folder of the tree, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${base}';

Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: process.env.HOST ?? '0.0.0.0',
  fetch: (request) => respond(request, BASE, read, [{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]),
});

async function read(path) {
  return await Bun.file(\`\${TREE}/\${path}\`).bytes().catch(() => undefined);
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 bun server.js'],
};
