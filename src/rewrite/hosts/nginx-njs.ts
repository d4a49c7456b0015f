import { inlined, sourceOf } from '../inlined-modules.ts';
import { ENCODINGS, type Host, NO_BROTLI } from './host.ts';

export const host: Host = {
  name: 'nginx-njs',
  title: 'nginx with njs',
  testedOn: 'the real server',
  cannot: {},
  withVersions: {
    cannot: {
      ...NO_BROTLI,
      'damaged-files':
        'njs cannot decompress a file: nginx sends a damaged file to clients that accept gzip, and aborts the response for other clients',
    },
  },
  render: (site) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Answers from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'} with nginx and its module njs (Debian: libnginx-mod-http-js), which nginx.conf
# loads. nginx includes this file inside http { }: put it in /etc/nginx/conf.d/. Check the lines marked with <--.

js_path /etc/nginx/palimpsest/;     # <-- the folder of palimpsest.js
js_import palimpsest from palimpsest.js;

server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; delete this line without IPv6
    server_name ${site.domain};

    absolute_redirect off;
    merge_slashes off;

    location / { js_content palimpsest.serve; }
    # nginx rejects TRACE itself.
    error_page 405 = @palimpsest_refused;
    location @palimpsest_refused { js_content palimpsest.serve; }
${site.hasVersions ? DECOMPRESSION : ''}}
`,
    },
    {
      path: 'palimpsest.js',
      where: '/etc/nginx/palimpsest/',
      text: `// Answers requests in nginx with njs. palimpsest.conf calls this function.
export default { serve };

// Check these lines: the path of the base URL, and the folder ${site.hasVersions ? 'with head.json' : 'of the tree'}, with a final slash.
const BASE = '${site.base}';
const TREE = '/var/www/palimpsest/${site.hasVersions ? 'site' : 'out'}/'; // <--

const fs = require('fs');

async function serve(r) {
  // request_uri is the undecoded target; r.uri and r.args are partly decoded.
  const url = 'http://tree' + r.variables.request_uri;
  const asked = { method: r.method, url: url, headers: { get: (name) => r.headersIn[name] } };${site.hasVersions ? '\n  // nginx decompresses' : ''}
  const source = ${sourceOf(site, 'open', ENCODINGS, '{ sha256: sha256, gunzip: undefined }')};
  const sent = await answer(asked, BASE, source);
  if (sent.problem !== undefined) r.error('palimpsest: ' + sent.problem);
  Object.keys(sent.headers).forEach((name) => {
    // for a redirect, return takes the address instead of a body and sets this header itself, and it knows the length
    if (name !== 'Location' && name !== 'Content-Length') r.headersOut[name] = sent.headers[name];
  });
  if (sent.body !== undefined) {
    r.return(sent.status, sent.headers.Location || Buffer.from(sent.body));
  } else {
    // return would send the Content-Length 0 of a 304, as if the page were empty
    r.status = sent.status;
    r.sendHeader();
    r.finish();
  }
}

${site.hasVersions ? VERSION_TOOLS : FILE_TOOLS}
${site.hasVersions ? inlined(site.program, 'resolve', 'answer', 'as-of', 'zip-member', 'versions') : inlined(site.program, 'resolve', 'answer', 'files')}`,
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

const DECOMPRESSION = `
    # Files are stored with gzip. This decompresses them for clients that do not accept it.
    gunzip on;
`;

const FILE_TOOLS = `async function open(path) {
  try {
    return fs.readFileSync(TREE + path);
  } catch (error) {
    return ifMissing(error);
  }
}
`;

const VERSION_TOOLS = `function sha256(text) {
  return require('crypto').createHash('sha256').update(text).digest();
}

async function open(path, range) {
  if (range === undefined) return fs.readFileSync(TREE + path);
  const file = fs.openSync(TREE + path);
  const bytes = Buffer.alloc(range.length);
  try {
    return bytes.subarray(0, fs.readSync(file, bytes, 0, range.length, range.from));
  } finally {
    fs.closeSync(file);
  }
}
`;
