import { DIGITS, LEGEND, literal, number, parameter, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import type { Host } from './host.ts';

export const nginx: Host = {
  name: 'nginx',
  title: 'nginx',
  proof: 'the real server',
  cannot: {
    'percent-decoding': 'a map cannot decode: %32 is answered with 404',
    'other-digits': 'a map cannot convert them: they are answered with 404',
    'content-etag': 'its ETag is made of size and time: let times move when content does, as build does',
  },
  limits: {},
  render: ({ domain, base }) => [
    {
      path: 'palimpsest.conf',
      where: 'to /etc/nginx/conf.d/, where it is read inside http {}; then nginx -t and nginx -s reload',
      text: `# A tree of palimpsest on nginx 1.18 or later. This file is read inside http { }: put it into /etc/nginx/conf.d/.
# The lines that matter are marked with <--.

# The value of the last "page" in the query, as it came; without one it is empty.
# ${LEGEND}
# The captures have names: those with numbers would be overwritten by the next map.
map $args $palimpsest_value {
    default "";
    "~${parameter(`(?<palimpsest_last>${VALUE})`)}" $palimpsest_last;
}

# The file of that page. What is no page leads to a file that is never there. "last" is a pattern because
# a map compares plain texts without regard to case.
map $palimpsest_value $palimpsest_file {
    default "none";
    "" "index.json";
    "~^last$" "page/last/index.json";
    "~^${number(`(?<palimpsest_number>${DIGITS})`)}$" "page/$palimpsest_number/index.json";
}

map $is_args$args $palimpsest_query {
    default $is_args$args;
    "?" "";
}

server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
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

    # \\z, not $: that would also be before a line break at the end (%0A).
    location ~ ^${literal(base)}/rest/(?<palimpsest_collection>data|account)/\\z {
        # "return" in an "if" is the one thing that is safe there.
        if ($request_method = OPTIONS) { return 418; }
        if ($request_method !~ ^(?:GET|HEAD)$) { return 405; }
        error_page 418 =200 @palimpsest_$palimpsest_collection;
        error_page 404 @palimpsest_missing;
        error_page 405 @palimpsest_method;
        try_files /rest/$palimpsest_collection/$palimpsest_file =404;
    }
    location @palimpsest_missing { return 404 '${MISSING.body}'; }
    location @palimpsest_method { return 405 '{"detail":"Method \\\\"$request_method\\\\" not allowed."}'; }
    location @palimpsest_data { return 200 '${DESCRIPTIONS['data']}'; }
    location @palimpsest_account { return 200 '${DESCRIPTIONS['account']}'; }

    location ~ ^${literal(base)}/rest/(?<palimpsest_slashless>data|account)\\z {
        return 301 ${base}/rest/$palimpsest_slashless/$palimpsest_query;
    }
    location / {
        # any header of its own keeps those above away
        add_header Cache-Control "no-cache" always;
        return 404 '${NOT_FOUND.body}';
    }
}
`,
    },
  ],
};
