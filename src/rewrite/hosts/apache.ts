import { DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { MISSING, NOT_FOUND } from '../resolve.ts';
import type { Host } from './host.ts';

export const apache: Host = {
  name: 'apache',
  title: 'Apache HTTP Server',
  testedOn: 'the real server',
  cannot: {
    'percent-decoding': 'a RewriteCond cannot decode: %32 is answered with 404',
    'other-digits': 'a RewriteCond cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'options-body': 'it answers OPTIONS for files by itself, and always without a body',
    'content-etag': 'its ETag is made of size and time: let times move when content does, as build does',
  },
  limits: {},
  render: ({ domain, base }) => {
    const collection = `^${literal(base)}/rest/(data|account)/$`;
    const json = (text: string) => `"${text.replace(/"/g, '\\"')}"`;
    const headers = `Header always set Content-Type application/json
        # "always" is for errors too. What is set there has to be unset here, or it comes twice.
        Header onsuccess unset Allow
        Header always set Allow "GET, POST, OPTIONS"
        Header onsuccess unset Vary
        Header always set Vary "Accept, Accept-Encoding"
        Header always set Cache-Control "public, max-age=0, must-revalidate"
        Header always set Access-Control-Allow-Origin "*"
        Header onsuccess unset Accept-Ranges`;
    return [
      {
        path: 'palimpsest.conf',
        where: '/etc/apache2/sites-available/',
        text: `# A tree of palimpsest on Apache 2.4 with mod_rewrite, mod_headers and mod_include.
# The lines that matter are marked with <--.

# <-- with TLS: *:443, SSLEngine on, and the certificate
<VirtualHost *:80>
    ServerName ${domain}
    # <-- the folder that palimpsest build writes, here and in the next line
    DocumentRoot "/var/www/palimpsest/out"
    <Directory "/var/www/palimpsest/out">
        Require all granted
        AllowOverride None
        # Neither the slash nor the index is to be added by anybody but the rules below.
        DirectorySlash Off
        DirectoryIndex disabled
        FileETag MTime Size
        <FilesMatch "\\.json(?:\\.gz|\\.br)?$">
            ForceType application/json
        </FilesMatch>
        # Debian takes .br for a text in Breton.
        RemoveLanguage .br
        <FilesMatch "\\.json\\.gz$">
            Header set Content-Encoding gzip
        </FilesMatch>
        <FilesMatch "\\.json\\.br$">
            Header set Content-Encoding br
        </FilesMatch>
    </Directory>
    AddDefaultCharset Off
    # A page is sent whole.
    RequestHeader unset Range
    TraceEnable Off

    # 405 and the redirect are answered from files: in answers of its own Apache sends Allow twice, and an absolute
    # Location.
    ErrorDocument 301 /palimpsest-301
    # <-- the folder of these files, here and where /palimpsest-301 and /palimpsest-405 lead
    <Directory "/etc/apache2/palimpsest">
        Require all granted
        Options +IncludesNOEXEC
        <Files "301.txt">
            ForceType application/json
            Header onsuccess edit Location "^https?://[^/]+" ""
            Header onsuccess edit Location "^([^?]*)\\?$" "$1"
        </Files>
        <Files "405.shtml">
            ForceType application/json
            SetOutputFilter INCLUDES
            ${headers.replace(/^ {8}/gm, '            ')}
        </Files>
    </Directory>

    # [END], not [L]: [L] would begin again with the file's path.
    RewriteEngine On
    AllowEncodedSlashes On

    RewriteCond "%{ENV:REDIRECT_STATUS}" "^301$"
    RewriteRule "^/palimpsest-301$" "/etc/apache2/palimpsest/301.txt" [END]
    RewriteCond "%{ENV:REDIRECT_STATUS}" "^405$"
    RewriteRule "^/palimpsest-405$" "/etc/apache2/palimpsest/405.shtml" [END]

    # Apache takes /rest//data/ and /rest/./data/ for /rest/data/: here they are no path of a collection.
    RewriteCond "%{THE_REQUEST}" "^[^ ]+ [^? ]*${UNNORMALIZED}"
    RewriteRule "^" "/palimpsest-none" [PT]

    # [L], as [END] would keep the rules away from /palimpsest-301.
    RewriteRule "^${literal(base)}/rest/(data|account)$" "${base}/rest/$1/" [R=301,NE,L]

    RewriteRule "!${collection}" "-" [R=404,END]
    RewriteCond "%{REQUEST_METHOD}" "!^(?:GET|HEAD|OPTIONS)$"
    RewriteRule "^" "-" [R=405,END]

    # The value of the last "page" is in %1 after a first condition, and looked at in a second.
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

    # The compressed variant, where there is one and the client takes it.
    RewriteCond "%{HTTP:Accept-Encoding}" "(?:^|,)\\s*br\\s*(?:,|$|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))"
    RewriteCond "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.br" "-f"
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.br" [END]
    RewriteCond "%{HTTP:Accept-Encoding}" "(?:^|,)\\s*gzip\\s*(?:,|$|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))"
    RewriteCond "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.gz" "-f"
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}.gz" [END]
    RewriteRule "${collection}" "%{DOCUMENT_ROOT}/rest/$1/%{ENV:PALIMPSEST}" [END]

    ErrorDocument 404 ${json(NOT_FOUND.body ?? '')}
    Header always set Content-Type application/json "expr=%{REQUEST_STATUS} >= 400"
    <LocationMatch "${collection}">
        ErrorDocument 404 ${json(MISSING.body ?? '')}
        ErrorDocument 405 /palimpsest-405
        ${headers}
    </LocationMatch>
</VirtualHost>
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
