import type { Encoding } from '../files.ts';
import { accepts } from '../patterns.ts';
import { BROWSE_TYPES } from '../resolve.ts';
import { type HostAtOrigin, ONLY_RULES, type Origin, PAGE_HEADERS } from './host.ts';
import { addHeaders, answersAt, beforeLocations, browseAt, checkThat, MAPS, notFound, pagesAt } from './nginx-rules.ts';

/** Headers of object stores that nginx hides: those that it sets itself, and those for the clients of the store. Runs of earlier versions wrote `holds`. */
const HIDDEN = [
  'Content-Type Vary Allow Cache-Control Accept-Ranges Set-Cookie Strict-Transport-Security Alt-Svc Content-Disposition Content-MD5',
  'Access-Control-Allow-Origin Access-Control-Allow-Methods Access-Control-Allow-Headers Access-Control-Allow-Credentials',
  'Access-Control-Expose-Headers Access-Control-Max-Age',
  'x-amz-id-2 x-amz-request-id x-amz-version-id x-amz-storage-class x-amz-expiration x-amz-replication-status',
  'x-amz-server-side-encryption x-amz-server-side-encryption-aws-kms-key-id x-amz-server-side-encryption-bucket-key-enabled',
  'x-amz-meta-palimpsest-sha256 x-amz-meta-palimpsest-holds x-rgw-object-type',
  'x-ms-request-id x-ms-version x-ms-error-code x-ms-creation-time x-ms-lease-status x-ms-lease-state x-ms-server-encrypted',
  'x-ms-blob-type x-ms-blob-content-md5 x-ms-meta-palimpsest_sha256 x-ms-meta-palimpsest_holds',
].flatMap((line) => line.split(' '));

export const nginxOrigin: HostAtOrigin = {
  testedOn: "the real server, in front of Ceph's object store",
  cannot: {
    ...ONLY_RULES,
    'etag-list': 'nginx passes the ETags on unchanged, and Ceph supports only a single ETag',
    'missing-tree': 'it answers 503 for page 1 and for the last page, which every tree has, but 404 for other pages',
  },
  untested: { 'unreadable-files': 'no test makes an object unreadable; other tests cover each status of an object store' },
  render: ({ domain, base, browse }, origin) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# Answers from a palimpsest tree in an object store with nginx 1.18 or later. nginx includes this file inside http { }:
# put it in /etc/nginx/conf.d/. Check the lines marked with <--.

${MAPS}

# The ETags of pages that are decompressed below are weak. The store has them without W/.
map $http_if_none_match $palimpsest_known {
    default $http_if_none_match;
    "~^W/(?<palimpsest_tag>.*)$" $palimpsest_tag;
}

# The Cache-Control header that palimpsest publish stored with a page.
map $status:$upstream_http_cache_control $palimpsest_cache_control {
    default "${PAGE_HEADERS['Cache-Control']}";
    "~^(?:200|304):(?<palimpsest_kept>.+)$" $palimpsest_kept;
    "~^50[234]:" "no-store";
}

# The Content-Type of pages. Object stores send a different one with 304.
map $status:$upstream_status $palimpsest_type {
    default "";
    "~^(?:200|304):." ${browse ? '$palimpsest_media' : `"${PAGE_HEADERS['Content-Type']}"`};
}
${browse ? mediaMap() : ''}${variantMap(origin.encodings)}
server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; delete this line without IPv6
    server_name ${domain};

    default_type application/json;
    types { }
    absolute_redirect off;
    merge_slashes off;

    # nginx requests only the object. It passes nothing of the request on to the store except the ETag.
    proxy_set_header Host ${origin.url.host};
    proxy_set_header Connection "";
    proxy_set_header Content-Length "";
    proxy_set_header Transfer-Encoding "";
    proxy_set_header If-None-Match $palimpsest_known;
${/\.blob\.core\.windows\.net$/.test(origin.url.hostname) ? AZURE : ''}    proxy_pass_request_headers off;
    proxy_pass_request_body off;
    proxy_http_version 1.1;
    proxy_connect_timeout 5s;
    proxy_read_timeout 30s;
    # A cached page could differ from the page in the store. Every request goes to the store, with the ETag.
    proxy_cache off;
${lookUp(origin.url)}${origin.url.protocol === 'https:' ? secured(origin.url) : ''}
    # Decompresses pages of publish --gzip for clients that do not accept gzip.
    gunzip on;
    gzip_proxied any;

    proxy_intercept_errors on;
    recursive_error_pages on;

    # Hides headers for the clients of the store, and headers that are set below. nginx cannot list the headers to keep.
    proxy_headers_hash_max_size 1024;
    proxy_headers_hash_bucket_size 128;
${HIDDEN.map((name) => `    proxy_hide_header ${name};`).join('\n')}

    # These headers are not in the location, because other locations answer errors. "always" includes errors.
    ${addHeaders({ 'Cache-Control': '$palimpsest_cache_control' })}
    add_header Content-Type $palimpsest_type always;

    ${beforeLocations(base)}

    ${pagesAt(base)}
        # Only "return" is safe inside "if".
        if ($request_method = OPTIONS) { return 418; }
        if ($request_method !~ ^(?:GET|HEAD)$) { return 420; }
        if ($palimpsest_file = none) { return 419; }
        error_page 418 =200 @palimpsest_$palimpsest_collection;
        error_page 419 =404 @palimpsest_missing;
        error_page 420 =405 @palimpsest_method;
${proxied(origin)}    }
${browse ? browseFiles(base, origin) : ''}    # After any other answer, or none, it is unknown whether the page exists.
    location @palimpsest_failed { return 502 '{"detail":"Bad gateway."}'; }
    location @palimpsest_late { return 504 '{"detail":"Gateway timeout."}'; }
    ${answersAt(base, checkThat('$palimpsest_file ~ ^(?:page/last/)?index'))}
}
`,
    },
  ],
  steps: ['apt-get install nginx', 'cp palimpsest.conf /etc/nginx/conf.d/', 'nginx -t', 'systemctl reload nginx'],
};

/** See Azure's documentation on versioning. */
const AZURE = `    # Without this header, Azure uses the oldest version of its API, in which ETags have no quotes.
    proxy_set_header x-ms-version 2021-12-02;
`;

/** Returns the map from Accept-Encoding to the suffix of a page's compressed file; '' if the tree has no compressed files. */
function variantMap(encodings: readonly Encoding[]): string {
  if (encodings.length === 0) return '';
  const lines = encodings.map(({ name, suffix }) => `    "~*${accepts(name)}" "${suffix}";\n`);
  return `
# The suffix of the compressed file, if build --compress wrote one that the client accepts.
map $http_accept_encoding $palimpsest_suffix {
    default "";
${lines.join('')}}
`;
}

/** Returns the map from the path of a browse file to its media type. Pages have no such path. */
function mediaMap(): string {
  const lines = Object.entries(BROWSE_TYPES).map(([suffix, type]) => `    "~\\.${suffix}$" "${type}";\n`);
  return `map $palimpsest_browse $palimpsest_media {
    default "${PAGE_HEADERS['Content-Type']}";
${lines.join('')}}
`;
}

/** Returns the configuration of the DNS lookup of the store's name. */
function lookUp({ hostname }: URL): string {
  const isAddress = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/.test(hostname);
  if (isAddress) return '';
  return `
    # The addresses of object stores change. nginx looks up ${hostname} again when its TTL expires, because
    # proxy_pass contains variables. nginx does not read /etc/resolv.conf and /etc/hosts.
    resolver 127.0.0.53;            # <-- a DNS server, such as one from /etc/resolv.conf on the machine of nginx
    resolver_timeout 5s;
`;
}

function secured({ hostname }: URL): string {
  return `
    proxy_ssl_server_name on;
    proxy_ssl_name ${hostname};
    proxy_ssl_protocols TLSv1.2 TLSv1.3;
    proxy_ssl_verify on;
    proxy_ssl_verify_depth 4;
    proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;   # <-- the path on Debian; on Red Hat: /etc/pki/tls/certs/ca-bundle.crt
`;
}

/** Returns the end of the location of pages: the request to the store, and a second one if the compressed file is missing. */
function proxied(origin: Origin): string {
  const page = `${proxyPass(origin)}/rest/$palimpsest_collection/$palimpsest_file`;
  const { encodings } = origin;
  const missing = `        # A store answers 403 for a missing object if the client may not list the bucket.
        error_page 403 404 = @palimpsest_missing;
`;
  if (encodings.length === 0) return `${missing}${FAILED}        ${page};\n`;
  return `        error_page 403 404 = @palimpsest_plain;
${FAILED}        ${page}$palimpsest_suffix;
    }
    location @palimpsest_plain {
        if ($palimpsest_suffix = "") { return 404; }
${missing}${FAILED}        ${page};
`;
}

function proxyPass({ url }: Origin): string {
  return `proxy_pass ${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

const FAILED = `        error_page 300 301 302 303 307 308 400 401 405 406 409 410 412 416 429 500 501 502 503 = @palimpsest_failed;
        error_page 504 = @palimpsest_late;
`;

/** Returns the locations of the files that people read. */
function browseFiles(base: string, origin: Origin): string {
  return `    ${browseAt(base)}
        add_header Cache-Control $palimpsest_cache_control always;
        add_header Content-Type $palimpsest_type always;
        if ($request_method !~ ^(?:GET|HEAD)$) { return 420; }
        error_page 420 =405 @palimpsest_method;
        error_page 403 404 =404 @palimpsest_not_found;
${FAILED}        ${proxyPass(origin)}/$palimpsest_browse;
    }
    ${notFound('')}
`;
}
