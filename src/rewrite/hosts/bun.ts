import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import { ENCODINGS, type Host, NO_BROTLI } from './host.ts';

const BUN = {
  'exact-path': 'Bun removes dot segments before a script sees the path',
  'unknown-methods': 'Bun closes the connection',
};

export const host: Host = {
  name: 'bun',
  title: 'Bun',
  testedOn: 'the real server',
  cannot: BUN,
  withVersions: { cannot: { ...BUN, ...NO_BROTLI }, steps: ['TREE=/var/www/palimpsest/site PORT=8080 bun server.js'] },
  render: (site) => [
    {
      path: 'server.js',
      where: 'any folder on the machine with the tree',
      text: `// Answers from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'}: TREE=/path/to/out PORT=3000 bun server.js

// Check these lines: the folder ${site.hasVersions ? 'with head.json' : 'of the tree'}, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${site.base}';

Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: process.env.HOST ?? '0.0.0.0',
  fetch: (request) => {
    const source = ${sourceOf(site, 'open', ENCODINGS)};
    return respond(request, BASE, source, console.error);
  },
});

async function open(path, range) {
  const file = Bun.file(\`\${TREE}/\${path}\`);
  return await (range === undefined ? file : file.slice(range.from, range.from + range.length)).bytes()${site.hasVersions ? '' : '.catch(ifMissing)'};
}

${inlinedFetchHandler(site)}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 bun server.js'],
};
