import { inlined } from '../program.ts';
import type { Host } from './host.ts';

const CLOUDFRONT = 'CloudFront and the bucket do it, and neither can be had here';

export const lambdaEdge: Host = {
  name: 'lambda-edge',
  title: 'Lambda@Edge',
  testedOn: 'Node.js, its runtime, before a static origin; what CloudFront does between the two is imitated',
  cannot: {
    gzip: 'CloudFront compresses by itself where its cache policy says so',
    brotli: 'CloudFront compresses by itself where its cache policy says so',
  },
  untested: {
    head: CLOUDFRONT,
    revalidation: CLOUDFRONT,
    'content-etag': CLOUDFRONT,
    'single-headers': 'CloudFront sends what the function names, and a name stands once there',
    range: CLOUDFRONT,
    'etag-list': CLOUDFRONT,
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'index.mjs',
      where:
        'a Lambda function in us-east-1 with a Node.js runtime; a version of it attached twice, as viewer request and as origin response',
      text: `// Answers from a tree of palimpsest in an S3 bucket. Attach a version of it as viewer request, where it finds the
// file of a page, and as origin response, where it gives the headers and answers for a page that is not there.

// The line that matters: the path of the base URL.
const BASE = '${base}';

export async function handler(event) {
  const { config, request, response } = event.Records[0].cf;
  return config.eventType === 'viewer-request' ? answer(request) : complete(response);
}

function answer(request) {
  const found = resolve(request.method, request.uri, request.querystring, BASE);
  if (found.file === undefined) return generated(found);
  request.uri = \`/\${found.file}\`;
  request.querystring = '';
  return request;
}

// A bucket says 403 or 404 for a page past the end.
function complete(response) {
  if (response.status === '403' || response.status === '404') return generated(MISSING);
  Object.assign(response.headers, headersOf({ ...COLLECTION_HEADERS, Vary: 'Accept, Accept-Encoding' }));
  return response;
}

function generated({ status, headers, body }) {
  return { status: String(status), headers: headersOf(headers), body };
}

function headersOf(headers) {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));
}

${inlined(program, 'resolve')}`,
    },
  ],
  steps: [],
};
