import { inlined } from '../program.ts';
import { headerLines } from './headers.ts';
import type { Host } from './host.ts';
import { ADD_CACHE_CONTROL, TYPES } from './nginx-browse.ts';

export const nginxNjs: Host = {
  name: 'nginx-njs',
  title: 'nginx with njs',
  testedOn: 'the real server',
  cannot: {
    'content-etag': 'the ETag is made from size and modification time; build therefore gives a changed file a new time',
  },
  limits: {},
  render: ({ domain, base, program }) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Answers from a palimpsest tree with nginx and its module njs (Debian: libnginx-mod-http-js), which nginx.conf loads.
# nginx includes this file inside http { }: put it in /etc/nginx/conf.d/. Check the lines marked with <--.

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

    # palimpsest.js redirects requests for pages here. Clients cannot request this location.
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
}
`,
    },
    {
      path: 'palimpsest.js',
      where: '/etc/nginx/palimpsest/',
      text: `// Answers requests in nginx with njs. palimpsest.conf calls these functions.
export default { answer, missing, notFound };

// Check this line: the path of the base URL.
const BASE = '${base}';

function answer(r) {
  // request_uri is the undecoded target; r.uri and r.args are partly decoded.
  const target = r.variables.request_uri;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const found = resolve(r.method, path, mark === -1 ? '' : target.slice(mark + 1), BASE, true);
  if (found.file === undefined) send(r, found);
  else r.internalRedirect((found.missing ? '/palimpsest-browse/' : '/palimpsest-tree/') + found.file);
}

function missing(r) {
  send(r, MISSING);
}

function notFound(r) {
  send(r, NOT_FOUND);
}

function send(r, found) {
  Object.keys(found.headers).forEach((name) => {
    // for a redirect, return takes the address instead of a body and sets this header itself
    if (name !== 'Location') r.headersOut[name] = found.headers[name];
  });
  r.return(found.status, found.headers.Location || found.body);
}

${inlined(program, 'resolve')}`,
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
