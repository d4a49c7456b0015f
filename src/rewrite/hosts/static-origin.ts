import type { HostFile } from './host.ts';

/** A server of static files for hosts that fetch pages from one: nginx, which knows nothing of pages either. */
export const staticOrigin: HostFile = {
  path: 'origin.conf',
  where: '/etc/nginx/conf.d/, on the machine that has the tree',
  text: `# The files of a tree of palimpsest on nginx 1.18 or later, for a server that leads requests to them. This file is read
# inside http { }. The lines that matter are marked with <--.

server {
    listen 127.0.0.1:8080;          # <-- where the server before it finds it, and nobody else
    root /var/www/palimpsest/out;   # <-- the folder that palimpsest build writes

    default_type application/json;
    types { }
    gzip_static on;                 # sends index.json.gz where build --compress made one
    # brotli_static on;             # <-- with the module ngx_brotli: the same for index.json.br
    etag on;
    max_ranges 0;
    location / { try_files $uri =404; }
}
`,
};

/** The commands that install it. */
export const STATIC_ORIGIN_STEPS: readonly string[] = [
  'apt-get install nginx libnginx-mod-http-brotli-static',
  'cp origin.conf /etc/nginx/conf.d/palimpsest-origin.conf',
  'nginx -t',
  'systemctl reload nginx',
];
