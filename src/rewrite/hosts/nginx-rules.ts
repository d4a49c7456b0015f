import { BROWSE_PATH, DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { BROWSE_TYPES, DESCRIPTIONS, MISSING, NOT_FOUND, UNREADABLE } from '../resolve.ts';
import { type HostFile, headerLines, type PublishedSite } from './host.ts';

/** Maps the query to the file of its page, or to `none` if the page is invalid. Used both with a folder and with an origin. */
export const MAPS: string = `# The undecoded value of the last "page" parameter; empty without one.
# ${LEGEND}
# The captures have names, because the next map would overwrite numbered captures.
map $args $palimpsest_value {
    default "";
    "~${parameter(`(?<palimpsest_last>${VALUE})`)}" $palimpsest_last;
}

# The file of that page. An invalid page is mapped to a file that never exists. "last" is a pattern because a map
# compares plain texts without regard to case.
map $palimpsest_value $palimpsest_file {
    default "none";
    "" "index.json";
    "~^last$" "page/last/index.json";
    "~^${number(`(?<palimpsest_number>${DIGITS})`)}$" "page/$palimpsest_number/index.json";
}

map $is_args$args $palimpsest_query {
    default $is_args$args;
    "?" "";
}`;

/** Returns the rules that nginx applies before it chooses a location. */
export function beforeLocations(base: string): string {
  return `# nginx normalizes /rest//data/ and /rest/./data/ to /rest/data/. Django REST Framework answers them with 404.
    if ($request_uri ~ "^[^?]*${UNNORMALIZED}") { rewrite ^ ${base}/rest/palimpsest-none; }
    # nginx rejects TRACE itself.
    error_page 405 @palimpsest_method;`;
}

/**
 * Returns the lines that set the headers of every answer. nginx sets Content-Type itself, from default_type.
 * @param values the values that differ from those of the API: variables
 */
export function addHeaders(values: { readonly [name: string]: string } = {}): string {
  return headerLines('\n    ', (name, value) => {
    return name === 'Content-Type' ? '' : `add_header ${name} ${values[name] ?? `"${value}"`} always;`;
  });
}

/** Returns the start of the location of both collections, up to its opening brace. */
export function pagesAt(base: string): string {
  return `# The pattern ends with \\z, because $ also matches before a final line break (%0A).
    location ~ ^${literal(base)}/rest/(?<palimpsest_collection>data|account)/\\z {`;
}

/** The line that answers if a tree on the same machine has no page 1. */
export const CHECK_TREE: string = checkThat('!-f $document_root/rest/data/index.json');

/** Returns the line that answers if a condition shows that the tree is missing. */
export function checkThat(isMissing: string): string {
  return `if (${isMissing}) { return 503 '${UNREADABLE.body}'; }\n        `;
}

/**
 * Returns the locations that answer without the file of a page: errors, OPTIONS, a missing slash, and other paths.
 * @param check the line that answers if the tree is missing
 * @param hasPage whether `browse/404.html` is the answer to paths outside the API
 */
export function answersAt(base: string, check: string, hasPage = false): string {
  const api = `location ~ ^${literal(base)}/rest(?:/|\\z)`;
  return `location @palimpsest_missing {
        # every tree has page 1
        ${check}return 404 '${MISSING.body}';
    }
    location @palimpsest_unreadable { return 503 '${UNREADABLE.body}'; }
    location @palimpsest_method { return 405 '{"detail":"Method \\\\"$request_method\\\\" not allowed."}'; }
    location @palimpsest_data { return 200 '${DESCRIPTIONS['data']}'; }
    location @palimpsest_account { return 200 '${DESCRIPTIONS['account']}'; }

    location ~ ^${literal(base)}/rest/(?<palimpsest_slashless>data|account)\\z {
        return 301 ${base}/rest/$palimpsest_slashless/$palimpsest_query;
    }
    ${hasPage ? api : 'location /'} {
        # with a header of its own, a location does not inherit the headers above
        add_header Cache-Control "no-cache" always;
        add_header Access-Control-Allow-Origin "*" always;
        return 404 '${NOT_FOUND.body}';
    }${hasPage ? OTHER_PATHS : ''}`;
}

const OTHER_PATHS = `
    location / {
        recursive_error_pages on;
        error_page 404 = @palimpsest_not_found;
        return 404;
    }`;

/** The media types of browse files, for a `types` block. */
export const TYPES: string = Object.entries(BROWSE_TYPES)
  .map(([suffix, type]) => `"${type}" ${suffix};`)
  .join(' ');

/** Returns the start of the location of browse files, after its opening brace, and the locations that lead to it. */
export function browseAt(base: string): string {
  const redirect = base === '' ? '' : `location = ${base} { return 301 ${base}/; }\n    `;
  return `${redirect}location = ${base}/ { rewrite ^ ${base}/index.html last; }
    location ~ ^${literal(base)}/(?<palimpsest_browse>${BROWSE_PATH})\\z {`;
}

/**
 * Returns the location that answers for a path outside the API that has no file.
 * @param check the line that answers otherwise if the tree is missing, or ''
 * @param page the lines that send a page of the tree if it has one, or ''
 */
export function notFound(check: string, page = ''): string {
  return `location @palimpsest_not_found {
        add_header Cache-Control "no-cache" always;
        add_header Access-Control-Allow-Origin "*" always;
        ${check}${page}return 404 '${NOT_FOUND.body}';
    }`;
}

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
    location / {
        error_page 403 500 = @unreadable;
        try_files $uri @missing;
    }
    location @missing {
        types { }
        ${CHECK_TREE}return 404;
    }
    location @unreadable { types { } return 503 '${UNREADABLE.body}'; }
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
