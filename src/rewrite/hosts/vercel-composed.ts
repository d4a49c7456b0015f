import { CHUNK_CACHE_CONTROL } from '../chunks.ts';
import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';

/** Vercel with a tree of the composed layout among its static files. */
export const vercelComposed: ComposedHost = {
  testedOn: "Vercel's edge-runtime, in front of a static origin, and Vercel's validator; the tests simulate the routing of Vercel",
  cannot: {
    'unknown-path': 'a path outside the collections does not reach the middleware: Vercel answers it from its static files',
    gzip: 'Vercel compresses responses itself',
    brotli: 'Vercel compresses responses itself',
    'rare-methods': 'a Request of the Fetch API cannot have the method TRACE: the function is not called',
  },
  untested: {
    'encoded-path': 'Vercel decides which paths reach the middleware',
    'exact-path': 'Vercel decides which paths reach the middleware',
    'unknown-methods': 'the servers in front of the middleware answer them',
  },
  render: ({ base, program }) => [
    {
      path: 'vercel.json',
      where: 'the root of the deployment, beside the folder of the tree',
      text: `{
  "framework": null,
  "buildCommand": null,
  "installCommand": null,
  "outputDirectory": "out",
  "headers": [
    {
      "source": "/chunks/(.*)",
      "headers": [{ "key": "Cache-Control", "value": "${CHUNK_CACHE_CONTROL}" }]
    }
  ]
}
`,
    },
    {
      path: 'middleware.js',
      where: 'beside vercel.json',
      text: `// Composes pages from a palimpsest tree on Vercel.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${base}';

export const config = {
  matcher: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'],
};

let files;
const read = async (path) => {
  const file = await fetch(new URL(\`/\${path}\`, files));
  if (!file.ok && file.status !== 404) throw new Error(\`\${file.url}: status \${file.status}\`);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
};
const readHead = headReader(read);
const readChunk = keepChunks(chunkReader(read), 16 * 1024 * 1024);

export default function middleware(request) {
  // the static files are on the same host
  files ??= request.url;
  return respondComposed(request, BASE, readHead, readChunk);
}

${inlinedComposed(program)}`,
    },
  ],
  steps: ['npx vercel deploy --prod'],
};
