import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import { ENCODINGS, type Host, NO_BROTLI } from './host.ts';

const UNKNOWN_METHODS = { 'unknown-methods': 'Node.js rejects them itself, with 400' };

export const host: Host = {
  name: 'node',
  title: 'Node.js, or any Fetch handler',
  testedOn: 'the real server',
  cannot: UNKNOWN_METHODS,
  withVersions: { cannot: { ...UNKNOWN_METHODS, ...NO_BROTLI }, steps: ['TREE=/var/www/palimpsest/site PORT=8080 node server.mjs'] },
  render: (site) => [
    {
      path: 'handler.mjs',
      where: 'beside server.mjs; a framework with handlers from Request to Response can use it without server.mjs',
      text: `// Answers a Request with a Response from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'}.
${site.hasVersions ? IMPORTS : "import { readFile } from 'node:fs/promises';\n"}import { join } from 'node:path';
${site.hasVersions ? "import { gunzipSync } from 'node:zlib';\n" : ''}
// Check these lines: the folder ${site.hasVersions ? 'with head.json' : 'of the tree'}, and the path of its base URL.
const TREE = process.env.TREE ?? 'out';
const BASE = '${site.base}';

/** Accepts a Request, or an object with its method, url and headers. */
export function handle(request) {
  const source = ${sourceOf(site, 'open', ENCODINGS, '{ sha256, gunzip }')};
  return respond(request, BASE, source, console.error);
}

${site.hasVersions ? OPEN_PART : OPEN_FILE}
${inlinedFetchHandler(site)}`,
    },
    {
      path: 'server.mjs',
      where: 'any folder on the machine with the tree',
      text: SERVER,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 node server.mjs'],
};

const IMPORTS = `import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
`;

const OPEN_FILE = `async function open(path) {
  return await readFile(join(TREE, path)).catch(ifMissing);
}
`;

const OPEN_PART = `// Blocks: nine asynchronous calls for a page would take twice the time of the processor.
async function open(path, range) {
  const file = openSync(join(TREE, path));
  try {
    if (range === undefined) return readFileSync(file);
    const bytes = new Uint8Array(range.length);
    return bytes.subarray(0, readSync(file, bytes, 0, range.length, range.from));
  } finally {
    closeSync(file);
  }
}

const sha256 = (text) => createHash('sha256').update(text).digest();

// The buffer has room for most pages: each smaller one takes a step.
const gunzip = (bytes) => gunzipSync(bytes, { chunkSize: 262_144 });
`;

const SERVER = `// Serves a palimpsest tree: TREE=/path/to/out PORT=8080 node server.mjs
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
`;
