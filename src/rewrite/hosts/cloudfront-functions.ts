import { inlined } from '../program.ts';
import { MISSING } from '../resolve.ts';
import type { Host } from './host.ts';

const CLOUDFRONT = 'CloudFront and the bucket do it, and neither can be had here';

export const cloudfrontFunctions: Host = {
  name: 'cloudfront-functions',
  title: 'CloudFront Functions',
  testedOn: 'njs, the engine whose dialect it is, before a static origin; what CloudFront does between the two is imitated',
  cannot: {
    'error-headers': 'a page past the end is a custom error response, and takes its headers from the bucket',
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
      path: 'viewer-request.js',
      where: 'a CloudFront function with the runtime cloudfront-js-2.0, published and attached to the behaviour as viewer request',
      text: `// Answers from a tree of palimpsest in an S3 bucket. Attach it as viewer request; the runtime is cloudfront-js-2.0.

// The line that matters: the path of the base URL.
const BASE = '${base}';

function handler(event) {
  const request = event.request;
  const answer = resolve(request.method, request.uri, queryOf(request.querystring), BASE);
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

// CloudFront hands the query over in pieces, each as it came; of repeats the last is the last of multiValue.
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
      where: 'another function with that runtime, attached to the same behaviour as viewer response',
      text: `// Gives the pages the headers that the bucket does not know. Attach it as viewer response.
function handler(event) {
  const response = event.response;
  response.headers['content-type'] = { value: 'application/json' };
  response.headers['vary'] = { value: 'Accept, Accept-Encoding' };
  response.headers['allow'] = { value: 'GET, POST, OPTIONS' };
  response.headers['cache-control'] = { value: 'public, max-age=0, must-revalidate' };
  response.headers['access-control-allow-origin'] = { value: '*' };
  return response;
}
`,
    },
    {
      path: 'custom-error-responses.json',
      where: "the distribution's CustomErrorResponses: a bucket says 403 or 404 for a page past the end",
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
      where: 'to the root of the bucket, beside rest/, with Content-Type application/json',
      text: MISSING.body ?? '',
    },
  ],
  steps: [],
};
