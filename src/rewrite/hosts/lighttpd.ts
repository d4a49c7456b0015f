import { BROWSE_PATH, DIGITS, LEGEND, lastParameter, literal, NO_PARAMETER, number } from '../patterns.ts';
import { BROWSE_TYPES, MISSING, NOT_FOUND } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, type HostFile, headerLines, NO_NUMBERS, PAGE_HEADERS } from './host.ts';

const LOOKUP = 'no rule can check whether a file exists, so every missing page is answered with 404';

export const host: Host = {
  name: 'lighttpd',
  title: 'lighttpd',
  testedOn: 'the real server',
  cannot: {
    ...NO_NUMBERS,
    'control-characters': "Debian's configuration rejects them with 400 (url-ctrls-reject)",
    'exact-path': 'it normalizes the path before a rule sees it',
    'redirect-encoding': 'it decodes unreserved characters in a query (url-normalize-unreserved)',
    'options-body': 'it answers OPTIONS for files itself, always without a body',
    'methods-body': 'the body of an error is a static file, which cannot name the method',
    'rare-methods': 'the body of an error is a static file, which cannot name the method',
    'unknown-methods': 'it answers unknown methods itself, with 501 and HTML',
    gzip: 'no rule can check whether a compressed file exists; mod_deflate compresses responses while sending them',
    brotli: 'no rule can check whether a compressed file exists; mod_deflate compresses responses while sending them',
    'missing-tree': LOOKUP,
    'incomplete-tree': LOOKUP,
    'unreadable-files': 'the status of an error cannot be changed, so a file that it may not read is answered with 403',
    ...ETAG_OF_TIME,
  },
  render: ({ domain, base, browse }) => {
    const path = `${literal(base)}/rest/(data|account)/`;
    const slashless = `^${literal(base)}/rest/(data|account)(\\?.+)?\\??$`;
    return [
      {
        path: 'palimpsest.conf',
        where: '/etc/lighttpd/conf-enabled/',
        text: `# Answers from a palimpsest tree with lighttpd 1.4.50 or later. Check the lines marked with <--.

# Without this cache, lighttpd checks a file for each request. With it, old pages are sent for some seconds after a build.
server.stat-cache-engine = "disable"
# mod_setenv must precede mod_redirect, which Debian loads. Otherwise redirects and 405 responses lack their headers.
server.modules := ("mod_setenv", "mod_rewrite") + server.modules + ("mod_redirect")

$HTTP["host"] =~ "^${literal(domain)}(?::\\d+)?$" {
    server.document-root = "/var/www/palimpsest/out"                 # <-- the folder that palimpsest build writes
    server.errorfile-prefix = "/etc/lighttpd/palimpsest/unknown-"    # <-- the folder of the error bodies, here and below
    setenv.set-response-header = ("Content-Type" => "application/json", "Access-Control-Allow-Origin" => "*")
    mimetype.assign = ("" => "application/json")
    index-file.names = ()
    server.range-requests = "disable"

    # The last "page" parameter counts. An invalid page is mapped to a file that never exists.
    # ${LEGEND}
    url.rewrite-once = (
        "^${path}\\?${lastParameter(`=${number(`(${DIGITS})`)}`)}" => "/rest/$1/page/$2/index.json",
        "^${path}\\?${lastParameter('=last')}" => "/rest/$1/page/last/index.json",
        "^${path}\\?${lastParameter('=?')}" => "/rest/$1/index.json",
        "^${path}(?:\\?${NO_PARAMETER})?$" => "/rest/$1/index.json",
        "^${path}\\?" => "/rest/$1/none",
        "${slashless}" => "/slashless/$1$2",
${browse ? `        ${browseRules(base)}\n` : ''}        "" => "/none",
    )
    $HTTP["request-method"] == "OPTIONS" {
        url.rewrite-once = ("^${path}(?:\\?|$)" => "/rest/$1/index.json", "${slashless}" => "/slashless/$1$2", "" => "/none")
    }
    url.redirect = (${browse ? `"^/slashless/home$" => "${base}/", ` : ''}"^/slashless/(data|account)(.*)$" => "${base}/rest/$1/$2")

    # The conditions below see rewritten paths.
    $HTTP["url"] =~ "^/rest/" {
        server.errorfile-prefix = "/etc/lighttpd/palimpsest/page-"   # <--
        setenv.set-response-header = (
            ${headerLines('\n            ', (name, value) => `"${name}" => "${value}",`)}
            "Location" => "",
        )
        # lighttpd has no rule that sets a status. A redirect with the code 405 does it; its Location is removed above.
        $HTTP["request-method"] !~ "^(?:GET|HEAD|OPTIONS)$" {
            url.redirect = ("" => "/")
            url.redirect-code = 405
        }
    }
${browse ? BROWSE : ''}}
`,
      },
      { path: 'errors/page-405.html', where: '/etc/lighttpd/palimpsest/', text: '{"detail":"Method not allowed."}' },
      ...(browse ? browseErrors(base) : []),
      { path: 'errors/page-404.html', where: '/etc/lighttpd/palimpsest/', text: MISSING.body ?? '' },
      { path: 'errors/unknown-404.html', where: '/etc/lighttpd/palimpsest/', text: NOT_FOUND.body ?? '' },
    ];
  },
  steps: [
    'apt-get install lighttpd',
    'mkdir -p /etc/lighttpd/palimpsest',
    'cp errors/* /etc/lighttpd/palimpsest/',
    'cp palimpsest.conf /etc/lighttpd/conf-enabled/',
    'lighttpd -tt -f /etc/lighttpd/lighttpd.conf',
    'systemctl restart lighttpd',
  ],
};

/** Returns the rules that map a path to a browse file. */
function browseRules(base: string): string {
  return [
    ...(base === '' ? [] : [`"^${literal(base)}(?:\\?|$)" => "/slashless/home",`]),
    `"^${literal(base)}/(?:\\?|$)" => "/index.html",`,
    `"^${literal(base)}/(${BROWSE_PATH})(?:\\?|$)" => "/$1",`,
  ].join('\n        ');
}

const BROWSE = `
    # The files that people read: the home page, and those below browse/. Errors are HTML, because lighttpd takes their type
    # from the suffix of their file.
    $HTTP["url"] =~ "^/(?:browse/|index\\.html$)" {
        server.errorfile-prefix = "/etc/lighttpd/palimpsest/browse-"   # <--
        mimetype.assign = (
${Object.entries(BROWSE_TYPES)
  .map(([suffix, type]) => `            ".${suffix}" => "${type}",\n`)
  .join('')}        )
        setenv.set-response-header = ("Cache-Control" => "${PAGE_HEADERS['Cache-Control']}")
        $HTTP["request-method"] !~ "^(?:GET|HEAD|OPTIONS)$" {
            setenv.set-response-header = ("Allow" => "GET, HEAD", "Location" => "")
            url.redirect = ("" => "/")
            url.redirect-code = 405
        }
    }
`;

function browseErrors(base: string): HostFile[] {
  return ['404 Not Found', '405 Method Not Allowed'].map((error) => ({
    path: `errors/browse-${error.slice(0, 3)}.html`,
    where: '/etc/lighttpd/palimpsest/',
    text: `<!doctype html><html lang="en"><title>${error}</title><h1>${error}</h1><p><a href="${base}/">Home</a></html>`,
  }));
}
