import { inlined } from '../program.ts';
import { type Host, headerLines, NO_BROTLI } from './host.ts';
import { ADD_CACHE_CONTROL, TYPES } from './nginx-rules.ts';

export const host: Host = {
  name: 'nginx-njs',
  title: 'nginx with njs',
  testedOn: 'the real server',
  cannot: {
    'content-etag': 'the ETag is made from size and modification time; build therefore gives a changed file a new time',
  },
  limits: {},
  versions: {
    cannot: {
      ...NO_BROTLI,
      'damaged-files':
        'njs cannot decompress a file: nginx sends a damaged file to clients that accept gzip, and aborts the response for other clients',
    },
  },
  render: ({ domain, base, program, hasVersions }) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Answers from a palimpsest ${hasVersions ? 'site with versions' : 'tree'} with nginx and its module njs (Debian: libnginx-mod-http-js), which nginx.conf
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

${hasVersions ? DECOMPRESSION : FILES}}
`,
    },
    {
      path: 'palimpsest.js',
      where: '/etc/nginx/palimpsest/',
      text: `// Answers requests in nginx with njs. palimpsest.conf calls these functions.
export default { answer: ${hasVersions ? 'fromVersions' : 'fromFiles, missing, notFound'} };

// Check ${hasVersions ? 'these lines' : 'this line'}: the path of the base URL${hasVersions ? ', and the folder with head.json, with a final slash' : ''}.
const BASE = '${base}';
${hasVersions ? FROM_VERSIONS : FROM_FILES}
function send(r, status, headers, body) {
  Object.keys(headers).forEach((name) => {
    // for a redirect, return takes the address instead of a body and sets this header itself, and it knows the length
    if (name !== 'Location' && name !== 'Content-Length') r.headersOut[name] = headers[name];
  });
  r.return(status, headers.Location || body);
}

${hasVersions ? inlined(program, 'resolve', 'answer', 'as-of', 'zip-member', 'versions') : inlined(program, 'resolve')}`,
    },
  ],
  steps: [
    'apt-get install nginx libnginx-mod-http-js libnginx-mod-http-brotli-static',
    'mkdir -p /etc/nginx/palimpsest',
    'cp palimpsest.js /etc/nginx/palimpsest/',
    'cp palimpsest.conf /etc/nginx/conf.d/',
    'nginx -t',
    'systemctl reload nginx',
  ],
};

const DECOMPRESSION = `    # Files are stored with gzip. This decompresses them for clients that do not accept it.
    gunzip on;
`;

const FROM_VERSIONS = `const TREE = '/var/www/palimpsest/site/'; // <--

const crypto = require('crypto');
const fs = require('fs');

async function fromVersions(r) {
  // request_uri is the undecoded target; r.uri and r.args are partly decoded.
  const url = 'http://tree' + r.variables.request_uri;
  const asked = { method: r.method, url: url, headers: { get: (name) => r.headersIn[name] } };
  const sha256 = (text) => crypto.createHash('sha256').update(text).digest();
  // nginx decompresses
  const sent = await answer(asked, BASE, inVersions(open, { sha256: sha256, gunzip: undefined }));
  if (sent.problem !== undefined) r.error('palimpsest: ' + sent.problem);
  send(r, sent.status, sent.headers, sent.body && Buffer.from(sent.body));
}

async function open(path, range) {
  let file;
  try {
    if (range === undefined) return fs.readFileSync(TREE + path);
    file = fs.openSync(TREE + path);
  } catch (_) {
    return undefined;
  }
  const bytes = Buffer.alloc(range.length);
  try {
    return bytes.subarray(0, fs.readSync(file, bytes, 0, range.length, range.from));
  } finally {
    fs.closeSync(file);
  }
}
`;

const FILES = `    # palimpsest.js redirects requests for pages here. Clients cannot request this location.
    location /palimpsest-tree/ {
        internal;
        alias /var/www/palimpsest/out/;   # <-- the folder that palimpsest build writes, with a final slash
        default_type application/json;
        types { }
        gzip_static on;                   # sends index.json.gz if build --compress wrote it
        # brotli_static on;               # <-- with the module ngx_brotli: the same for index.json.br
        max_ranges 0;
        ${headerLines('\n        ', (name, value) => (name === 'Content-Type' ? '' : `add_header ${name} "${value}";`))}
        error_page 404 = @palimpsest_missing;
    }
    location @palimpsest_missing { js_content palimpsest.missing; }

    # The same for the files that people read.
    location /palimpsest-browse/ {
        internal;
        alias /var/www/palimpsest/out/;   # <-- the same folder
        types { ${TYPES} }
        max_ranges 0;
        ${ADD_CACHE_CONTROL}
        error_page 404 = @palimpsest_not_found;
    }
    location @palimpsest_not_found { js_content palimpsest.notFound; }
`;

const FROM_FILES = `
function fromFiles(r) {
  // request_uri is the undecoded target; r.uri and r.args are partly decoded.
  const target = r.variables.request_uri;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const found = resolve(r.method, path, mark === -1 ? '' : target.slice(mark + 1), BASE, true);
  if (found.file === undefined) send(r, found.status, found.headers, found.body);
  else r.internalRedirect((found.missing ? '/palimpsest-browse/' : '/palimpsest-tree/') + found.file);
}

function missing(r) {
  send(r, MISSING.status, MISSING.headers, MISSING.body);
}

function notFound(r) {
  send(r, NOT_FOUND.status, NOT_FOUND.headers, NOT_FOUND.body);
}
`;
