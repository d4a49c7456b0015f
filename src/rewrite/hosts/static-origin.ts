import type { HostFile, PublishedSite } from './host.ts';
import { TYPES } from './nginx-browse.ts';

/** Returns the nginx configuration of a static origin, for hosts that fetch pages from one. It has no rewrite rules. */
export function staticOrigin({ browse }: Pick<PublishedSite, 'browse'>): HostFile {
  return {
    path: 'origin.conf',
    where: '/etc/nginx/conf.d/, on the machine with the tree',
    text: `# Serves the files of a palimpsest tree with nginx 1.18 or later, as the origin of another server. nginx includes this
# file inside http { }. Check the lines marked with <--.

server {
    listen 127.0.0.1:8080;          # <-- the address at which the server in front reaches it, and no other
    root /var/www/palimpsest/out;   # <-- the folder that palimpsest build writes

    default_type application/json;
    types {${browse ? ` ${TYPES} ` : ' '}}
    gzip_static on;                 # sends index.json.gz if build --compress wrote it
    # brotli_static on;             # <-- with the module ngx_brotli: the same for index.json.br
    etag on;
    max_ranges 0;
    location / { try_files $uri =404; }
}
`,
  };
}

/** The commands that install the static origin. */
export const STATIC_ORIGIN_STEPS: readonly string[] = [
  'apt-get install nginx libnginx-mod-http-brotli-static',
  'cp origin.conf /etc/nginx/conf.d/palimpsest-origin.conf',
  'nginx -t',
  'systemctl reload nginx',
];
