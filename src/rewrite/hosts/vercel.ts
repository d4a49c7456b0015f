import { inlinedFetchHandler } from '../inlined-modules.ts';
import { BROWSE_TYPES } from '../resolve.ts';
import { type Host, PAGE_HEADERS } from './host.ts';

/** The headers of the files. They apply to a file that is requested under its own path; the middleware sets all headers of pages. */
const FILE_HEADERS = ['Content-Type', 'Cache-Control', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];

export const host: Host = {
  name: 'vercel',
  title: 'Vercel',
  testedOn: "Vercel's edge-runtime, in front of a static origin, and Vercel's validator; the tests simulate the routing of Vercel",
  cannot: {
    'unknown-path': 'a path outside the collections does not reach the middleware: Vercel answers it from its static files',
    gzip: 'Vercel compresses responses itself',
    brotli: 'Vercel compresses responses itself',
    'rare-methods': 'a Request of the Fetch API cannot have the method TRACE: the function is not called',
  },
  untested: {
    browse: 'at the root of the host, Vercel serves the files of browse/ itself',
    'content-etag': 'the ETag is a hash of the content, if Vercel gives the middleware the current file',
    'encoded-path': 'Vercel decides which paths reach the middleware',
    'exact-path': 'Vercel decides which paths reach the middleware',
    'unknown-methods': 'the servers in front of the middleware answer them',
  },
  noVersions: 'its edge runtime has no DecompressionStream, so it cannot decompress files',
  render: ({ base, browse, program }) => [
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
      "source": "/rest/(.*)",
      "headers": [
        ${FILE_HEADERS.map((key) => `{ "key": "${key}", "value": "${PAGE_HEADERS[key]}" }`).join(',\n        ')}
      ]
    }${browse && base === '' ? BROWSE_HEADERS : ''}
  ]
}
`,
    },
    {
      path: 'middleware.js',
      where: 'beside vercel.json',
      text: `// Answers from a palimpsest tree on Vercel. Rules with "has" could map ?page=2 to its file, but they cannot answer
// with 404 or 405, and they use the first of repeated parameters.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${base}';

export const config = {
  matcher: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'${browse ? browsePaths(base) : ''}],
};

export default function middleware(request) {
  const source = inFiles((path) => read(new URL(\`/\${path}\`, request.url)), []);
  return respond(request, BASE, source, console.error);
}

async function read(url) {
  return bytesOf(await fetch(url));
}

${inlinedFetchHandler({ program, hasVersions: false })}`,
    },
  ],
  steps: ['npx vercel deploy --prod'],
};

/** Returns the paths of browse files that reach the function. At the root of a host, Vercel itself serves the files. */
function browsePaths(base: string): string {
  return base === '' ? '' : `, '${base}', '${base}/', '${base}/index.html', '${base}/browse/:path*'`;
}

const BROWSE_HEADERS = Object.entries(BROWSE_TYPES)
  .map(
    ([suffix, type]) => `,
    {
      "source": "/browse/(.*)\\\\.${suffix}",
      "headers": [
        { "key": "Content-Type", "value": "${type}" },
        { "key": "Cache-Control", "value": "${PAGE_HEADERS['Cache-Control']}" }
      ]
    }`,
  )
  .join('');
