import { NOT_FOUND_PAGE } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, ONLY_RULES, PAGE_HEADERS } from './host.ts';
import { nginxOrigin } from './nginx-origin.ts';
import { addHeaders, answersAt, beforeLocations, browseAt, CHECK_TREE, MAPS, notFound, pagesAt, TYPES } from './nginx-rules.ts';

export const host: Host = {
  name: 'nginx',
  title: 'nginx',
  testedOn: 'the real server',
  cannot: {
    ...ONLY_RULES,
    ...ETAG_OF_TIME,
  },
  atOrigin: nginxOrigin,
  render: ({ domain, base, browse }) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Answers from a palimpsest tree with nginx 1.18 or later. nginx includes this file inside http { }: put it in
# /etc/nginx/conf.d/. Check the lines marked with <--.

${MAPS}
${browse ? CACHE_CONTROL : ''}
server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; delete this line without IPv6
    server_name ${domain};
    root /var/www/palimpsest/out;   # <-- the folder that palimpsest build writes

    default_type application/json;
    types { }
    gzip_static on;                 # sends index.json.gz if build --compress wrote it
    # brotli_static on;             # <-- with the module ngx_brotli: the same for index.json.br
    etag on;
    max_ranges 0;
    absolute_redirect off;
    merge_slashes off;

    # These headers are not in the location, because other locations answer errors. "always" includes errors.
    ${addHeaders()}

    ${beforeLocations(base)}

    ${pagesAt(base)}
        # Only "return" is safe inside "if".
        if ($request_method = OPTIONS) { return 418; }
        if ($request_method !~ ^(?:GET|HEAD)$) { return 405; }
        error_page 418 =200 @palimpsest_$palimpsest_collection;
        error_page 404 = @palimpsest_missing;
        error_page 403 500 = @palimpsest_unreadable;
        error_page 405 @palimpsest_method;
        try_files /rest/$palimpsest_collection/$palimpsest_file =404;
    }
${browse ? browseFiles(base) : ''}    ${answersAt(base, CHECK_TREE, browse)}
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

/** The map from a status to the Cache-Control header: one for browse files, and one for `browse/404.html`. */
const CACHE_CONTROL = `
map $status $palimpsest_cache_control {
    default "${PAGE_HEADERS['Cache-Control']}";
    404 "${NOT_FOUND_PAGE.headers['Cache-Control']}";
}
`;

/** Returns the locations of the files that people read. */
function browseFiles(base: string): string {
  return `    ${browseAt(base)}
        # with a header of its own, a location does not inherit those of the API
        add_header Cache-Control $palimpsest_cache_control always;
        types { ${TYPES} }
        recursive_error_pages on;
        error_page 404 = @palimpsest_not_found;
        error_page 403 500 = @palimpsest_unreadable;
        error_page 405 @palimpsest_method;
        try_files /$palimpsest_browse =404;
    }
    ${notFound(
      CHECK_TREE,
      `error_page 404 ${base}/${NOT_FOUND_PAGE.file};
        if (-f $document_root/${NOT_FOUND_PAGE.file}) { return 404; }
        `,
    )}
`;
}
