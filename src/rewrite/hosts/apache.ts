import { accepts, BROWSE_PATH, DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { BROWSE_TYPES, MISSING, NOT_FOUND, NOT_FOUND_PAGE, UNREADABLE } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, headerLines, ONLY_RULES, PAGE_HEADERS, quoted } from './host.ts';

export const host: Host = {
  name: 'apache',
  title: 'Apache HTTP Server',
  testedOn: 'the real server',
  cannot: {
    ...ONLY_RULES,
    'options-body': 'it answers OPTIONS for files itself, always without a body',
    ...ETAG_OF_TIME,
    'unreadable-files': 'the status of an error cannot be changed, so a file that it may not read is answered with 403',
  },
  render: ({ domain, base, browse }) => {
    const collection = `^${literal(base)}/rest/(data|account)/$`;
    const json = (text: string) => `"${text.replace(/"/g, '\\"')}"`;
    // Apache itself adds Allow and Vary to some answers
    const headers = `# "always" also applies to errors. A header that is set with it must be unset for "onsuccess", or it is sent twice.
        Header onsuccess unset Allow
        Header onsuccess unset Vary
        ${headerLines('\n        ', (name, value) => `Header always set ${name} ${quoted(value)}`)}
        Header onsuccess unset Accept-Ranges`;
    return [
      {
        path: 'palimpsest.conf',
        where: '/etc/apache2/sites-available/',
        text: `# Answers from a palimpsest tree with Apache 2.4, mod_rewrite, mod_headers and mod_include.
# Check the lines marked with <--.

# <-- with TLS: *:443, SSLEngine on, and the certificate
<VirtualHost *:80>
    ServerName ${domain}
    # <-- the folder that palimpsest build writes, here and in the next line
    DocumentRoot "/var/www/palimpsest/out"
    <Directory "/var/www/palimpsest/out">
        Require all granted
        AllowOverride None
        # Only the rules below may add a slash or an index.
        DirectorySlash Off
        DirectoryIndex disabled
        FileETag MTime Size
        <FilesMatch "\\.json(?:\\.gz|\\.br)?$">
            ForceType application/json
        </FilesMatch>
${browse ? TYPES : ''}        # Debian's configuration reads .br as the language Breton.
        RemoveLanguage .br
        <FilesMatch "\\.json\\.gz$">
            Header set Content-Encoding gzip
        </FilesMatch>
        <FilesMatch "\\.json\\.br$">
            Header set Content-Encoding br
        </FilesMatch>
    </Directory>
    AddDefaultCharset Off
    # A page is always sent whole.
    RequestHeader unset Range
    TraceEnable Off

    # The bodies of 405 and of the redirect are files: in its built-in answers, Apache sends Allow twice and an absolute
    # Location.
    ErrorDocument 301 /palimpsest-301
    # <-- the folder of these files, here and in the rules for /palimpsest-301 and /palimpsest-405
    <Directory "/etc/apache2/palimpsest">
        Require all granted
        Options +IncludesNOEXEC
        <Files "301.txt">
            ForceType application/json
            Header onsuccess edit Location "^https?://[^/]+" ""
            Header onsuccess edit Location "^([^?]*)\\?$" "$1"
            Header always set Access-Control-Allow-Origin "*"
        </Files>
        <Files "405.shtml">
            ForceType application/json
            SetOutputFilter INCLUDES
            ${headers.replace(/^ {8}/gm, '            ')}
        </Files>
    </Directory>

    # The rules use [END], because [L] would start again with the path of the file.
    RewriteEngine On
    AllowEncodedSlashes On

    RewriteCond "%{ENV:REDIRECT_STATUS}" "^301$"
    RewriteRule "^/palimpsest-301$" "/etc/apache2/palimpsest/301.txt" [END]
    RewriteCond "%{ENV:REDIRECT_STATUS}" "^405$"
    RewriteRule "^/palimpsest-405$" "/etc/apache2/palimpsest/405.shtml" [END]

${browse ? NOT_FOUND_PAGE_RULE : ''}    # Apache normalizes /rest//data/ and /rest/./data/ to /rest/data/. Django REST Framework answers them with 404.
    RewriteCond "%{THE_REQUEST}" "^[^ ]+ [^? ]*${UNNORMALIZED}"
    RewriteRule "^(${literal(base)}/rest(?=/)|)" "$1/palimpsest-none" [PT]

    # This rule uses [L], because [END] would also stop the rules for /palimpsest-301.
    RewriteRule "^${literal(base)}/rest/(data|account)$" "${base}/rest/$1/" [R=301,NE,L]

    # Every tree has page 1.
    RewriteCond "%{DOCUMENT_ROOT}/rest/data/index.json" "!-f"
    RewriteRule "${browse ? `^${literal(base)}/(?:rest/(?:data|account)/|${BROWSE_PATH})?$` : collection}" "-" [R=503,END]

${browse ? browseFiles(base) : ''}    RewriteRule "!${collection}" "-" [R=404,END]
    RewriteCond "%{REQUEST_METHOD}" "!^(?:GET|HEAD|OPTIONS)$"
    RewriteRule "^" "-" [R=405,END]

    # The first condition captures the value of the last "page" parameter in %1. The second condition checks it.
    # ${LEGEND}
    RewriteRule "^" "-" [E=PALIMPSEST:index.json]
    RewriteCond "%{QUERY_STRING}" "${parameter(`(${VALUE})`)}"
    RewriteCond "%1" "^.+$"
    RewriteRule "^" "-" [E=PALIMPSEST:none]
    RewriteCond "%{QUERY_STRING}" "${parameter(`(${VALUE})`)}"
    RewriteCond "%1" "^last$"
    RewriteRule "^" "-" [E=PALIMPSEST:page/last/index.json]
    RewriteCond "%{QUERY_STRING}" "${parameter(`(${VALUE})`)}"
    RewriteCond "%1" "^${number(`(${DIGITS})`)}$"
    RewriteRule "^" "-" [E=PALIMPSEST:page/%1/index.json]

    # Send the compressed file if it exists and the client accepts it.
    RewriteCond "%{HTTP:Accept-Encoding}" "${accepts('br')}" [NC]
    RewriteCond "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.br" "-f"
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.br" [END]
    RewriteCond "%{HTTP:Accept-Encoding}" "${accepts('gzip')}" [NC]
    RewriteCond "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.gz" "-f"
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.gz" [END]
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}" [END]

    ErrorDocument 404 ${browse ? `/${NOT_FOUND_PAGE.file}` : json(NOT_FOUND.body ?? '')}
    ErrorDocument 503 ${json(UNREADABLE.body ?? '')}
    Header always set Content-Type application/json "expr=%{REQUEST_STATUS} >= 400${browse ? ` && %{REQUEST_URI} != '/${NOT_FOUND_PAGE.file}'` : ''}"
    Header always set Access-Control-Allow-Origin "*" "expr=%{REQUEST_STATUS} == 404"
    Header always set Cache-Control no-cache "expr=%{REQUEST_STATUS} == 404"
${browse ? unknownApiPaths(base, json(NOT_FOUND.body ?? '')) : ''}    <LocationMatch "${collection}">
        ErrorDocument 404 ${json(MISSING.body ?? '')}
        ErrorDocument 405 /palimpsest-405
        ${headers}
    </LocationMatch>
${browse ? browseHeaders(base) + unknownPathsWithoutPage(base, json(NOT_FOUND.body ?? '')) : ''}</VirtualHost>
`,
      },
      {
        path: 'errors/405.shtml',
        where: '/etc/apache2/palimpsest/',
        text: '{"detail":"Method \\"<!--#echo encoding="none" var="REDIRECT_REQUEST_METHOD" -->\\" not allowed."}',
      },
      { path: 'errors/301.txt', where: '/etc/apache2/palimpsest/', text: '' },
    ];
  },
  steps: [
    'apt-get install apache2',
    'mkdir -p /etc/apache2/palimpsest',
    'cp errors/* /etc/apache2/palimpsest/',
    'cp palimpsest.conf /etc/apache2/sites-available/',
    'a2enmod rewrite headers include',
    'a2ensite palimpsest',
    'apachectl configtest',
    'systemctl restart apache2',
  ],
};

/** The media types of browse files. */
const TYPES = Object.entries(BROWSE_TYPES)
  .map(
    ([suffix, type]) => `        <FilesMatch "\\.${suffix}$">
            ForceType ${quoted(type)}
        </FilesMatch>
`,
  )
  .join('');

/** The rule for the page that answers unknown paths. It stands before the rules that answer with 404. */
const NOT_FOUND_PAGE_RULE = `    RewriteCond "%{ENV:REDIRECT_STATUS}" "^404$"
    RewriteRule "^/${literal(NOT_FOUND_PAGE.file ?? '')}$" "%{DOCUMENT_ROOT}/${NOT_FOUND_PAGE.file}" [END]

`;

/** Returns the rules for the files that people read, before the rules for pages. */
function browseFiles(base: string): string {
  const path = `^${literal(base)}/(${BROWSE_PATH})?$`;
  return `    # The files that people read: the home page, and those below browse/.
${base === '' ? '' : `    RewriteRule "^${literal(base)}$" "${base}/" [R=301,NE,L]\n`}    RewriteCond "%{REQUEST_METHOD}" "!^(?:GET|HEAD)$"
    RewriteRule "${path}" "-" [R=405,END]
    RewriteRule "^${literal(base)}/$" "%{DOCUMENT_ROOT}/index.html" [END]
    RewriteRule "${path}" "%{DOCUMENT_ROOT}/$1" [END]

`;
}

/** Returns the block that answers unknown paths of the API. @param body the JSON, as a quoted string */
function unknownApiPaths(base: string, body: string): string {
  return `    <LocationMatch "^${literal(base)}/rest(?:/|$)">
        ErrorDocument 404 ${body}
    </LocationMatch>
`;
}

/** Returns the block that answers other unknown paths if the tree has no page for them. Apache merges `<If>` after `<LocationMatch>`. */
function unknownPathsWithoutPage(base: string, body: string): string {
  return `    <If "! -f '%{DOCUMENT_ROOT}/${NOT_FOUND_PAGE.file}' && %{REQUEST_URI} !~ m#^${literal(base)}/rest(?:/|$)#">
        ErrorDocument 404 ${body}
    </If>
`;
}

function browseHeaders(base: string): string {
  return `    <LocationMatch "^${literal(base)}/(?:${BROWSE_PATH})?$">
        ErrorDocument 404 /${NOT_FOUND_PAGE.file}
        ErrorDocument 405 /palimpsest-405
        Header always set Cache-Control ${quoted(PAGE_HEADERS['Cache-Control'] ?? '')} "expr=%{REQUEST_STATUS} != 404"
        Header onsuccess unset Accept-Ranges
    </LocationMatch>
`;
}
