const TRAVERSALS = [
  '..',
  '.',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '..%00',
  '..;',
  '...',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%f0%80%80%ae',
  '\\..',
  '..\\',
  '%5c..',
  '..%5c',
  '%uff0e%uff0e',
  '~',
];
const SLASHES = ['/', '//', '%2f', '%2F', '\\', '%5c', '/./', '%c0%af', '%00/', '%252f'];
const STARTS = ['/', '/rest/data/', '/rest/data/page/', '/rest/account/page/last/', '/rest/data/index.json/'];
const QUERIES = [
  '',
  '?page=2',
  '?page=../../secret.txt',
  '?page=..%2f..%2f..%2fsecret.txt',
  '?page=%2e%2e%2fsecret.txt%00',
  '?/../secret.txt',
];

/** Returns requests for a file beside the tree, in many spellings. */
export function traversals(secret: string): string[] {
  const targets: string[] = [];
  let turn = 0;
  for (const start of STARTS) {
    for (const up of TRAVERSALS) {
      for (const slash of SLASHES) {
        turn += 1;
        const query = QUERIES[turn % QUERIES.length] ?? '';
        targets.push(`${start}${`${up}${slash}`.repeat(1 + (turn % 5))}${secret}${query}`);
      }
    }
  }
  targets.push(
    `/${secret}`,
    `/../${secret}`,
    `/.git/config`,
    '/.env',
    '/.palimpsest/lock',
    '/%2eenv',
    '/rest/.hidden',
    '/rest%00/data/',
    '/~root',
  );
  return targets;
}

const METHODS = ['get', 'GETGET', 'G\0T', 'PUT /', 'CONNECT', 'PRI', 'PROPFIND', 'M-SEARCH', 'TRACE', 'A'.repeat(10_000), '', '"', 'GET\t'];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.', 'http/1.1', 'HTTPS/1.1', '', 'HTTP/1.1 HTTP/1.1'];
const TARGETS = [
  '/rest/data/',
  '*',
  'rest/data/',
  '?page=2',
  '',
  'http://evil.example/rest/data/',
  'http://evil.example/../secret.txt',
  'file:///etc/passwd',
  '//evil.example/rest/data/',
  '/%',
  '/%zz',
  '/rest/data/?page=%',
  '/rest/data/?page=%ff%fe',
  '/rest/data/?\0',
  '/rest/data?\f',
  '/rest/data?\x80\xff',
  '/rest/data?é',
  '/rest/data/ ?page=2',
  `/${'a'.repeat(20_000)}`,
  `/rest/data/?page=${'9'.repeat(10_000)}`,
  `/rest/data/?${'page=2&'.repeat(1500)}`,
  `/${'../'.repeat(3000)}secret.txt`,
  `/rest/data/page/${'9'.repeat(200)}/index.json`,
  '/rest/data/page/00000000000000000001/index.json',
  '/rest/data/page/1/index.json/',
  '/rest/data/page/1/../2/index.json',
  '/rest/data/index.json%00.txt',
  '/rest/data/index.json?../../secret.txt',
  '/build.json/../../secret.txt',
  '/build.json%2f..%2f..%2fsecret.txt',
  '/manifest-sha256.txt\\..\\..\\secret.txt',
];
const HEADERS = [
  'Host: a\r\nHost: b',
  'Host: a"b',
  'Host: ../../secret.txt',
  'Host : a',
  ': nameless',
  'No colon at all',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n',
  'Transfer-Encoding: xchunked',
  'Expect: 100-continue',
  'Expect: everything',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Range: bytes=0-5,-5,99-',
  'Range: bytes=99999999999999999999-',
  `If-None-Match: ${'"x",'.repeat(2000)}`,
  'If-None-Match: \x00',
  'Accept-Encoding: gzip;q=\x80',
  `Accept-Encoding: ${'gzip;q=0,'.repeat(1500)}`,
  `X: ${'a'.repeat(100_000)}`,
  `${'X: y\r\n'.repeat(3000)}X: y`,
  'Authorization: Basic !!!',
  'Connection: \xff',
  'X-Forwarded-Host: evil.example\r\nX-Original-URL: /../secret.txt\r\nX-Rewrite-URL: /../secret.txt',
  ' folded: line',
];

/** Returns requests that are malformed or almost malformed. */
export function malformed(): string[] {
  const line = (method: string, target: string, version: string) =>
    `${method} ${target} ${version}\r\nHost: h\r\nConnection: close\r\n\r\n`;
  return [
    ...METHODS.flatMap((method) => ['/rest/data/', '/../secret.txt', '/rest/data'].map((target) => line(method, target, 'HTTP/1.1'))),
    ...VERSIONS.flatMap((version) => ['/rest/data/', '/../secret.txt'].map((target) => line('GET', target, version))),
    ...TARGETS.flatMap((target) => ['GET', 'HEAD', 'OPTIONS'].map((method) => line(method, target, 'HTTP/1.1'))),
    ...HEADERS.flatMap((header) =>
      ['/rest/data/', '/rest/data/index.json'].map((target) => `GET ${target} HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`),
    ),
    '\r\n\r\n',
    '\0\0\0\0',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', // TLS
    'GET /rest/data/\r\n\r\n',
    'GET /rest/data/ HTTP/1.1\nHost: h\nConnection: close\n\n',
    'GET /rest/data/ HTTP/1.1\r\nHost: h\r\n',
    'GET',
    'POST /rest/data/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nGET /../secret.txt HTTP/1.1\r\n\r\n',
    'GET /rest/data/?page=2 HTTP/1.1\r\nHost: h\r\n\r\nGET /../secret.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    line('GET', '/../secret.txt', 'HTTP/1.1').repeat(50),
  ];
}

/** Returns a request for a target. It is encoded in Latin-1, so that any byte can be sent. */
export function requestFor(target: string): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 'latin1');
}
