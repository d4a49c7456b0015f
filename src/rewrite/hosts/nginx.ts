import type { Host } from './host.ts';
import { answersAt, BEFORE_LOCATIONS, MAPS, pagesAt } from './nginx-answers.ts';
import { nginxOrigin } from './nginx-origin.ts';

export const nginx: Host = {
  name: 'nginx',
  title: 'nginx',
  testedOn: 'the real server',
  cannot: {
    'percent-decoding': 'a map cannot decode: %32 is answered with 404',
    'other-digits': 'a map cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'content-etag': 'its ETag is made of size and time: let times move when content does, as build does',
  },
  limits: {},
  atOrigin: nginxOrigin,
  render: ({ domain, base }) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# A tree of palimpsest on nginx 1.18 or later. This file is read inside http { }: put it into /etc/nginx/conf.d/.
# The lines that matter are marked with <--.

${MAPS}

server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; without IPv6 leave it out
    server_name ${domain};
    root /var/www/palimpsest/out;   # <-- the folder that palimpsest build writes

    default_type application/json;
    types { }
    gzip_static on;                 # sends index.json.gz where build --compress made one
    # brotli_static on;             # <-- with the module ngx_brotli: the same for index.json.br
    etag on;
    max_ranges 0;
    absolute_redirect off;
    merge_slashes off;

    # Not in the location: answers to errors come from others. "always" is for those that are no 200.
    add_header Vary "Accept, Accept-Encoding" always;
    add_header Allow "GET, POST, OPTIONS" always;
    add_header Cache-Control "public, max-age=0, must-revalidate" always;
    add_header Access-Control-Allow-Origin "*" always;

    ${BEFORE_LOCATIONS}

    ${pagesAt(base)}
        # "return" in an "if" is the one thing that is safe there.
        if ($request_method = OPTIONS) { return 418; }
        if ($request_method !~ ^(?:GET|HEAD)$) { return 405; }
        error_page 418 =200 @palimpsest_$palimpsest_collection;
        error_page 404 @palimpsest_missing;
        error_page 405 @palimpsest_method;
        try_files /rest/$palimpsest_collection/$palimpsest_file =404;
    }
    ${answersAt(base)}
}
`,
    },
  ],
  steps: [
    'apt-get install nginx libnginx-mod-http-brotli-static',
    'cp palimpsest.conf /etc/nginx/conf.d/',
    'nginx -t',
    'systemctl reload nginx',
  ],
};
