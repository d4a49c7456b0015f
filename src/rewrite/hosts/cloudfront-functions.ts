import { inlined } from '../inlined-modules.ts';
import { MISSING } from '../resolve.ts';
import { type Host, headerLines, UNTESTED_CLOUDFRONT } from './host.ts';

const STATUS = 'a custom error response depends only on the status, so each missing object is answered with 404';

export const host: Host = {
  name: 'cloudfront-functions',
  title: 'CloudFront Functions',
  testedOn: 'njs, which runs the same JavaScript dialect, in front of a static origin; the tests simulate CloudFront between the two',
  cannot: {
    'error-headers': 'a page past the end is answered with a custom error response, which has the headers of the bucket',
    'missing-tree': STATUS,
    'incomplete-tree': STATUS,
    'unreadable-files': 'CloudFront passes on the error of the bucket, with its body',
    gzip: 'CloudFront compresses responses itself if its cache policy enables it',
    brotli: 'CloudFront compresses responses itself if its cache policy enables it',
  },
  untested: UNTESTED_CLOUDFRONT,
  render: ({ base, browse, program }) => [
    {
      path: 'viewer-request.js',
      where: 'a CloudFront function with the runtime cloudfront-js-2.0, published and attached to the cache behavior as viewer request',
      text: `// Answers from a palimpsest tree in an S3 bucket. Attach it as viewer request. The runtime is cloudfront-js-2.0.

// Check this line: the path of the base URL.
const BASE = '${base}';

function handler(event) {
  const request = event.request;
  const resolved = resolve(request.method, request.uri, queryOf(request.querystring), BASE${browse ? ', true' : ''});
  const answer = resolved.status === 200 ? resolved : resolved.missing || resolved;
  if (answer.file !== undefined) {
    request.uri = '/' + answer.file;
    request.querystring = {};
    return request;
  }
  const headers = {};
  Object.keys(answer.headers).forEach((name) => {
    headers[name.toLowerCase()] = { value: answer.headers[name] };
  });
  return { statusCode: answer.status, headers: headers, body: { encoding: 'text', data: answer.body } };
}

// CloudFront splits the query into undecoded parameters. The values of a repeated parameter are in multiValue, in their order.
function queryOf(parameters) {
  const pieces = [];
  Object.keys(parameters).forEach((name) => {
    const values = parameters[name].multiValue || [parameters[name]];
    values.forEach((one) => pieces.push(one.value === '' ? name : name + '=' + one.value));
  });
  return pieces.join('&');
}

${inlined(program, 'resolve')}`,
    },
    {
      path: 'viewer-response.js',
      where: 'another function with that runtime, attached to the same cache behavior as viewer response',
      text: `// Sets the headers of pages that the bucket does not set. Attach it as viewer response.
function handler(event) {
  const response = event.response;
  // publish stored the files that people read with their types
  const stored = response.headers['content-type'];
  const type = stored && /^(text\\/(html|css|javascript)|image|application\\/atom)/.test(stored.value) ? stored : null;
  ${headerLines('\n  ', (name, value) => `response.headers['${name.toLowerCase()}'] = { value: '${value}' };`)}
  if (type) response.headers['content-type'] = type;
  return response;
}
`,
    },
    {
      path: 'custom-error-responses.json',
      where: "the distribution's CustomErrorResponses: a bucket answers 403 or 404 for a page past the end",
      text: `{
  "Quantity": 2,
  "Items": [
    { "ErrorCode": 403, "ResponseCode": "404", "ResponsePagePath": "/invalid-page.json", "ErrorCachingMinTTL": 0 },
    { "ErrorCode": 404, "ResponseCode": "404", "ResponsePagePath": "/invalid-page.json", "ErrorCachingMinTTL": 0 }
  ]
}
`,
    },
    {
      path: 'invalid-page.json',
      where: 'the root of the bucket, beside rest/, with Content-Type application/json',
      text: MISSING.body ?? '',
    },
  ],
  steps: [],
};
