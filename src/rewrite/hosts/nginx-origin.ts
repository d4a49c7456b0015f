import type { Encoding } from '../respond.ts';
import type { HostAtOrigin, Origin } from './host.ts';
import { answersAt, BEFORE_LOCATIONS, MAPS, pagesAt } from './nginx-answers.ts';

/** Headers of stores that readers do not get: those that are set here, and those for the stores' own clients. */
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
  proof: "the real server, before Ceph's object store",
  cannot: {
    'percent-decoding': 'a map cannot decode: %32 is answered with 404',
    'other-digits': 'a map cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'etag-list': 'the store is asked with the ETags as they came, and Ceph knows one that stands alone',
  },
  render: ({ domain, base }, origin) => [
    {
      path: 'palimpsest.conf',
      where: '/etc/nginx/conf.d/',
      text: `# A tree of palimpsest in a store, with nginx 1.18 or later before it. This file is read inside http { }: put it into
# /etc/nginx/conf.d/. The lines that matter are marked with <--.

${MAPS}

# Weak are the ETags of pages that were unpacked below; the store knows them without the W/.
map $http_if_none_match $palimpsest_known {
    default $http_if_none_match;
    "~^W/(?<palimpsest_tag>.*)$" $palimpsest_tag;
}

# As palimpsest publish left it with a page.
map $status:$upstream_http_cache_control $palimpsest_cache_control {
    default "public, max-age=0, must-revalidate";
    "~^(?:200|304):(?<palimpsest_kept>.+)$" $palimpsest_kept;
    "~^50[24]:" "no-store";
}

# Stores have one of their own for 304.
map $status:$upstream_status $palimpsest_type {
    default "";
    "~^(?:200|304):." "application/json";
}
${variantMap(origin.encodings)}
server {
    listen 80;                      # <-- with TLS: listen 443 ssl; and the certificate
    listen [::]:80;                 # <-- the same; without IPv6 leave it out
    server_name ${domain};

    default_type application/json;
    types { }
    absolute_redirect off;
    merge_slashes off;

    # The store is asked for the object alone: nothing of the request goes on to it but the ETag.
    proxy_set_header Host ${origin.authority};
    proxy_set_header Connection "";
    proxy_set_header Content-Length "";
    proxy_set_header Transfer-Encoding "";
    proxy_set_header If-None-Match $palimpsest_known;
${/\.blob\.core\.windows\.net$/.test(origin.name) ? AZURE : ''}    proxy_pass_request_headers off;
    proxy_pass_request_body off;
    proxy_http_version 1.1;
    proxy_connect_timeout 5s;
    proxy_read_timeout 30s;
    # A page that was kept would be another than the store's: every request asks it, with the ETag.
    proxy_cache off;
${lookUp(origin)}${origin.isSecure ? secured(origin) : ''}
    # Pages that publish --gzip compressed are unpacked for who takes them plain only.
    gunzip on;
    gzip_proxied any;

    proxy_intercept_errors on;
    recursive_error_pages on;

    # Headers that are for the store's own clients, or that are set below. nginx has no list of those to keep.
    proxy_headers_hash_max_size 1024;
    proxy_headers_hash_bucket_size 128;
${HIDDEN.map((name) => `    proxy_hide_header ${name};`).join('\n')}

    # Not in the location: answers to errors come from others. "always" is for those that are no 200.
    add_header Vary "Accept, Accept-Encoding" always;
    add_header Allow "GET, POST, OPTIONS" always;
    add_header Cache-Control $palimpsest_cache_control always;
    add_header Access-Control-Allow-Origin "*" always;
    add_header Content-Type $palimpsest_type always;

    ${BEFORE_LOCATIONS}

    ${pagesAt(base)}
        # "return" in an "if" is the one thing that is safe there.
        if ($request_method = OPTIONS) { return 418; }
        if ($request_method !~ ^(?:GET|HEAD)$) { return 420; }
        if ($palimpsest_file = none) { return 419; }
        error_page 418 =200 @palimpsest_$palimpsest_collection;
        error_page 419 =404 @palimpsest_missing;
        error_page 420 =405 @palimpsest_method;
${proxied(origin)}    }
    # Any other answer, or none, says nothing about the page.
    location @palimpsest_failed { return 502 '{"detail":"Bad gateway."}'; }
    location @palimpsest_late { return 504 '{"detail":"Gateway timeout."}'; }
    ${answersAt(base)}
}
`,
    },
  ],
  steps: ['apt-get install nginx', 'cp palimpsest.conf /etc/nginx/conf.d/', 'nginx -t', 'systemctl reload nginx'],
};

/** As Azure's documentation on versioning says. */
const AZURE = `    # Without it Azure speaks the oldest version that it knows, in which ETags have no quotes.
    proxy_set_header x-ms-version 2021-12-02;
`;

/** Which of a page's compressed files a reader is sent first; nothing where the tree has none. */
function variantMap(encodings: readonly Encoding[]): string {
  if (encodings.length === 0) return '';
  const refused = '\\s*q\\s*=\\s*0(?:\\.0*)?\\s*(?:,|$)';
  const lines = encodings.map(({ name, suffix }) => `    "~*(?:^|,)\\s*${name}\\s*(?:,|$|;(?!${refused}))" "${suffix}";\n`);
  return `
# The file that build --compress made beside a page, for who takes it.
map $http_accept_encoding $palimpsest_suffix {
    default "";
${lines.join('')}}
`;
}

/** How the store's name becomes an address. */
function lookUp({ isAddress, name }: Origin): string {
  if (isAddress) return '';
  return `
    # Addresses of stores change, so ${name} is looked up again when its time is over: because there
    # are variables in proxy_pass. /etc/resolv.conf and /etc/hosts are not read.
    resolver 127.0.0.53;            # <-- a DNS server: one of those that /etc/resolv.conf names where nginx runs
    resolver_timeout 5s;
`;
}

function secured({ name }: Origin): string {
  return `
    proxy_ssl_server_name on;
    proxy_ssl_name ${name};
    proxy_ssl_protocols TLSv1.2 TLSv1.3;
    proxy_ssl_verify on;
    proxy_ssl_verify_depth 4;
    proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;   # <-- as Debian has it; Red Hat: /etc/pki/tls/certs/ca-bundle.crt
`;
}

/** What ends the location of pages: the request to the store, and a second one where a page's compressed file is not there. */
function proxied({ isSecure, authority, path, encodings }: Origin): string {
  const page = `proxy_pass ${isSecure ? 'https' : 'http'}://${authority}${path}/rest/$palimpsest_collection/$palimpsest_file`;
  const failed = `        error_page 300 301 302 303 307 308 400 401 405 406 409 410 412 416 429 500 501 502 503 = @palimpsest_failed;
        error_page 504 = @palimpsest_late;
`;
  const missing = `        # 403 is what a store says of an object that is not there to who may not list the bucket.
        error_page 403 404 = @palimpsest_missing;
`;
  if (encodings.length === 0) return `${missing}${failed}        ${page};\n`;
  return `        error_page 403 404 = @palimpsest_plain;
${failed}        ${page}$palimpsest_suffix;
    }
    location @palimpsest_plain {
        if ($palimpsest_suffix = "") { return 404; }
${missing}${failed}        ${page};
`;
}
