import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';

const CLOUDFRONT = 'CloudFront provides it, and the tests simulate CloudFront';

/** Lambda@Edge, which reads a tree of the composed layout through its own CloudFront distribution. */
export const lambdaEdgeComposed: ComposedHost = {
  testedOn: 'Node.js, its runtime, in front of a static origin; the tests simulate CloudFront between the two',
  cannot: {
    gzip: 'CloudFront compresses responses itself if its cache policy enables it',
    brotli: 'CloudFront compresses responses itself if its cache policy enables it',
  },
  untested: {
    'single-headers': 'CloudFront sends the headers that the function sets, and the function sets each name only once',
    'exact-path': CLOUDFRONT,
    'encoded-path': CLOUDFRONT,
    'unknown-methods': CLOUDFRONT,
    range: CLOUDFRONT,
  },
  render: ({ base, origin, program }) => [
    {
      path: 'index.mjs',
      where:
        'a Lambda function in us-east-1 with a Node.js runtime; attach a version of it as origin request to the default behavior, ' +
        'whose cache policy has all query strings; add behaviors without a function for /head.json and /chunks/*, with the bucket as origin',
      text: `// Composes pages from a palimpsest tree in an S3 bucket. It reads the files through the distribution, so CloudFront
// caches the chunks, and the bucket can be private. An answer of a function has at most 1 MB: if an account page is
// larger, build with a smaller --account-page-size.

// Check these lines: the path of the base URL, and the address at which the distribution has /head.json and /chunks/.
const BASE = '${base}';
const TREE = '${origin}'; // <--

const readHead = headReader(read);
const readChunk = keepChunks(chunkReader(read), 16 * 1024 * 1024);

export async function handler(event) {
  const { method, uri, querystring, headers } = event.Records[0].cf.request;
  const asked = {
    method,
    url: \`https://tree\${uri}\${querystring === '' ? '' : \`?\${querystring}\`}\`,
    headers: { get: (name) => headers[name.toLowerCase()]?.map(({ value }) => value).join(', ') ?? null },
  };
  const response = await respondComposed(asked, BASE, readHead, readChunk);
  // CloudFront computes the length itself
  response.headers.delete('Content-Length');
  const entries = Array.from(response.headers, ([key, value]) => [key, [{ key, value }]]);
  return { status: String(response.status), headers: Object.fromEntries(entries), body: await response.text() };
}

// A bucket answers 403 or 404 for a missing object.
async function read(path) {
  const file = await fetch(\`\${TREE}/\${path}\`);
  if (file.ok) return new Uint8Array(await file.arrayBuffer());
  if (file.status === 403 || file.status === 404) return undefined;
  throw new Error(\`\${file.url}: status \${file.status}\`);
}

${inlinedComposed(program)}`,
    },
  ],
  steps: [],
};
