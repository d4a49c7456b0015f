import { inlined, inlinedFetchHandler } from '../inlined-modules.ts';
import {
  ADDRESS_LINES,
  BY_CLOUDFRONT,
  type Host,
  type HostFile,
  OPEN_ADDRESS,
  PAGE_HEADERS,
  type PublishedSite,
  UNTESTED_CLOUDFRONT,
} from './host.ts';

const COMPRESSION = 'CloudFront compresses responses itself if its cache policy enables it';
const ONE_OBJECT = 'the function sees one object only: page 1 and the last page are answered with 503 if they are missing, others with 404';

export const host: Host = {
  name: 'lambda-edge',
  title: 'Lambda@Edge',
  testedOn: 'Node.js, its runtime, in front of a static origin; the tests simulate CloudFront between the two',
  cannot: {
    'missing-tree': ONE_OBJECT,
    'incomplete-tree': ONE_OBJECT,
    gzip: COMPRESSION,
    brotli: COMPRESSION,
  },
  untested: UNTESTED_CLOUDFRONT,
  withVersions: {
    testedOn: 'Node.js, its runtime, in front of a static origin that answers ranges; the tests simulate CloudFront',
    cannot: { gzip: COMPRESSION, brotli: COMPRESSION },
    untested: {
      'single-headers': UNTESTED_CLOUDFRONT['single-headers'],
      'exact-path': BY_CLOUDFRONT,
      'encoded-path': BY_CLOUDFRONT,
      'unknown-methods': BY_CLOUDFRONT,
      range: BY_CLOUDFRONT,
    },
  },
  render: (site) => [site.hasVersions ? originRequest(site) : viewerRequest(site)],
  steps: [],
};

function viewerRequest({ base, program }: PublishedSite): HostFile {
  return {
    path: 'index.mjs',
    where:
      'a Lambda function in us-east-1 with a Node.js runtime; attach one version of it twice, as viewer request and as origin response',
    text: `// Answers from a palimpsest tree in an S3 bucket. Attach one version of it as viewer request, to find the file of a
// page, and as origin response, to set the headers and answer for pages that do not exist.

// Check this line: the path of the base URL.
const BASE = '${base}';

export async function handler(event) {
  const { config, request, response } = event.Records[0].cf;
  return config.eventType === 'viewer-request' ? answer(request) : complete(response, request.uri);
}

function answer(request) {
  const found = resolve(request.method, request.uri, request.querystring, BASE, true);
  if (found.file === undefined || found.status !== 200) return generated(found.missing || found);
  request.uri = \`/\${found.file}\`;
  request.querystring = '';
  return request;
}

// A bucket answers 403 or 404 for a missing object, such as a page past the end. Every tree has the first and the last page.
function complete(response, uri) {
  const type = BROWSE_TYPES[uri.slice(uri.lastIndexOf('.') + 1)];
  const isMissing = response.status === '403' || response.status === '404';
  if (isMissing && !/^\\/rest\\/\\w+\\/(page\\/last\\/)?index/.test(uri)) return generated(type ? NOT_FOUND : MISSING);
  if (Number(response.status) >= 400) {
    console.error(\`palimpsest: the bucket answers \${response.status} for \${uri}\`);
    return generated(UNREADABLE);
  }
  const headers = type
    ? { 'Content-Type': type, 'Cache-Control': COLLECTION_HEADERS['Cache-Control'] }
    : { ...COLLECTION_HEADERS, Vary: '${PAGE_HEADERS['Vary']}' };
  Object.assign(response.headers, headersOf(headers));
  return response;
}

function generated({ status, headers, body }) {
  return { status: String(status), headers: headersOf(headers), body };
}

function headersOf(headers) {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));
}

${inlined(program, 'resolve')}`,
  };
}

function originRequest(site: PublishedSite): HostFile {
  return {
    path: 'index.mjs',
    where:
      'a Lambda function in us-east-1 with a Node.js runtime; attach a version of it as origin request to the default behavior, ' +
      'whose cache policy has all query strings',
    text: `// Answers from a palimpsest site with versions. An answer of a function has at most 1 MB: if an account page is larger,
// build with a smaller --account-page-size.

// Check these lines: the path of the base URL, and the address of the versions.
const BASE = '${site.base}';
${ADDRESS_LINES}
export async function handler(event) {
  const { method, uri, querystring, headers } = event.Records[0].cf.request;
  const url = \`https://tree\${uri}\${querystring === '' ? '' : \`?\${querystring}\`}\`;
  const asked = { method, url, headers: { get: (name) => headers[name.toLowerCase()]?.map(({ value }) => value).join(', ') ?? null } };
  const response = await respond(asIdentity(asked), BASE, inVersions(open, WEB_TOOLS), console.error);
  // CloudFront computes the length itself
  response.headers.delete('Content-Length');
  const entries = Array.from(response.headers, ([key, value]) => [key, [{ key, value }]]);
  return { status: String(response.status), headers: Object.fromEntries(entries), body: await response.text() };
}

${OPEN_ADDRESS}
${inlinedFetchHandler(site)}`,
  };
}
