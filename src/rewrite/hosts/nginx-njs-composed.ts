import { inlined } from '../program.ts';
import type { ComposedHost } from './host.ts';
import { NO_COMPRESSED_FILES } from './no-compressed-files.ts';

/** nginx with njs, and a tree of the composed layout on its disk. */
export const nginxNjsComposed: ComposedHost = {
  testedOn: 'the real server',
  cannot: NO_COMPRESSED_FILES,
  render: ({ domain, base, program }) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Composes pages from a palimpsest tree with nginx and its module njs (Debian: libnginx-mod-http-js), which nginx.conf
# loads. nginx includes this file inside http { }: put it in /etc/nginx/conf.d/. Check the lines marked with <--.

js_path /etc/nginx/palimpsest/;     # <-- the folder of palimpsest.js
js_import palimpsest from palimpsest.js;

server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; delete this line without IPv6
    server_name ${domain};

    absolute_redirect off;
    merge_slashes off;

    location / { js_content palimpsest.answer; }
    # nginx rejects TRACE itself.
    error_page 405 = @palimpsest_refused;
    location @palimpsest_refused { js_content palimpsest.answer; }
}
`,
    },
    {
      path: 'palimpsest.js',
      where: '/etc/nginx/palimpsest/',
      text: `// Composes pages in nginx with njs. palimpsest.conf calls this function.
const crypto = require('crypto');
const fs = require('fs');

export default { answer };

// Check these lines: the folder that palimpsest build writes, with a final slash, and the path of the base URL.
const TREE = '/var/www/palimpsest/out/'; // <--
const BASE = '${base}';

async function answer(r) {
  // request_uri is the undecoded target; r.uri and r.args are partly decoded.
  const target = r.variables.request_uri;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark + 1);
  const found = resolve(r.method, path, query, BASE);
  if (found.file === undefined) return send(r, found);
  const head = readHead();
  if (head === undefined) return send(r, MISSING);
  try {
    await sendComposed(r, found, query, head);
  } catch (error) {
    // after a removal, a publish deletes the earlier states at once
    const next = readHead();
    if (next === undefined || next.log.root === head.log.root) throw error;
    await sendComposed(r, found, query, next);
  }
}

function readHead() {
  let text;
  try {
    text = fs.readFileSync(TREE + 'head.json');
  } catch (error) {
    return undefined;
  }
  return JSON.parse(text);
}

async function sendComposed(r, found, query, head) {
  const read = (hash) => fs.promises.readFile(TREE + chunkPath(hash));
  const page = await findPage(head, found.file, query, read);
  if (page === undefined) return send(r, MISSING);
  if (page.status !== undefined) return send(r, page);
  const etag = '"' + crypto.createHash('sha256').update(identityOf(page)).digest('hex').slice(0, 32) + '"';
  setHeaders(r, found.headers);
  r.headersOut.ETag = etag;
  const known = (r.headersIn['If-None-Match'] || '').split(',').map((each) => each.trim().replace(/^W\\//, ''));
  if (known.includes(etag) || known.includes('*')) return r.return(304);
  const parts = await compose(page, read);
  r.return(200, Buffer.concat(parts.map((part) => Buffer.from(part))));
}

function send(r, found) {
  setHeaders(r, found.headers);
  r.return(found.status, found.headers.Location || found.body);
}

function setHeaders(r, headers) {
  Object.keys(headers).forEach((name) => {
    // for a redirect, return takes the address instead of a body and sets this header itself
    if (name !== 'Location') r.headersOut[name] = headers[name];
  });
}

${inlined(program, 'resolve', 'compose')}`,
    },
  ],
  steps: [
    'apt-get install nginx libnginx-mod-http-js',
    'mkdir -p /etc/nginx/palimpsest',
    'cp palimpsest.js /etc/nginx/palimpsest/',
    'cp palimpsest.conf /etc/nginx/conf.d/',
    'nginx -t',
    'systemctl reload nginx',
  ],
};
