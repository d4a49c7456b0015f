const UPS = ['..', '%2e%2e', '.%2e', '%252e%252e', '..;', '%c0%ae%c0%ae', '..%5c..', '%5c..'];
const SLASHES = ['/', '%2f', '//', '%5c', '%252f'];

/** Returns targets that lead from any of these paths to a file beside the tree, in many spellings. */
export function traversals(starts: readonly string[], secret: string): string[] {
  return starts.flatMap((start) =>
    UPS.flatMap((up) => SLASHES.map((slash, at) => `${start}${`${up}${slash}`.repeat(1 + ((at + up.length) % 5))}${secret}`)),
  );
}

const METHODS = ['get', 'G\0T', 'PUT /', 'CONNECT', 'PRI', 'A'.repeat(10_000), '', 'GET\t'];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.', 'http/1.1', '', 'HTTP/1.1 HTTP/1.1'];
const TARGETS = [
  '*',
  'rest/data/',
  '?page=2',
  '',
  'http://evil.example/../secret.txt',
  'file:///etc/passwd',
  '//evil.example/rest/data/',
  '/%',
  '/rest/data/?page=%ff%fe',
  '/rest/data/?\0',
  '/rest/data?\x80\xff',
  `/${'a'.repeat(20_000)}`,
  `/${'../'.repeat(3000)}secret.txt`,
  `/rest/data/page/${'9'.repeat(300)}/index.json`,
  '/rest/data/page/1/../2/index.json',
  '/rest/data/index.json%00.txt',
  '/build.json%2f..%2f..%2fsecret.txt',
  '/.env',
];
const HEADERS = [
  'Host: a\r\nHost: b',
  'Host: ../../secret.txt',
  'Host : a',
  'No colon at all',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Transfer-Encoding: xchunked',
  'Expect: everything',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Range: bytes=99999999999999999999-',
  `If-None-Match: ${'"x",'.repeat(2000)}`,
  'If-None-Match: \x00',
  `Accept-Encoding: ${'gzip;q=0,'.repeat(1500)}`,
  `X: ${'a'.repeat(100_000)}`,
  'X-Forwarded-Host: evil.example\r\nX-Original-URL: /../secret.txt\r\nX-Rewrite-URL: /../secret.txt',
  ' folded: line',
];

/** Returns requests that are malformed or almost malformed. */
export function malformed(): string[] {
  return [
    ...METHODS.flatMap((method) => ['/rest/data/', '/../secret.txt'].map((target) => request(target, method))),
    ...VERSIONS.flatMap((version) => ['/rest/data/', '/../secret.txt'].map((target) => request(target, 'GET', version))),
    ...TARGETS.flatMap((target) => ['GET', 'OPTIONS'].map((method) => request(target, method))),
    ...HEADERS.map((header) => `GET /rest/data/ HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`),
    '\0\0\0\0',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', // TLS
    'GET /rest/data/ HTTP/1.1\nHost: h\nConnection: close\n\n',
    `POST /rest/data/ HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n${request('/../secret.txt')}`,
    `GET /rest/data/?page=2 HTTP/1.1\r\nHost: h\r\n\r\n${request('/../secret.txt')}`,
  ];
}

/** Requests whose rest never comes. */
export const UNFINISHED: readonly string[] = ['\r\n\r\n', 'GET', 'GET /rest/data/ HTTP/1.1\r\nHost: h\r\n'];

/** Returns a request for a target, after which the connection is closed. */
export function request(target: string, method = 'GET', version = 'HTTP/1.1'): string {
  return `${method} ${target} ${version}\r\nHost: h\r\nConnection: close\r\n\r\n`;
}
