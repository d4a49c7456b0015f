import { DIGITS, LEGEND, lastParameter, literal, NO_PARAMETER, number } from '../patterns.ts';
import { MISSING, NOT_FOUND } from '../resolve.ts';
import type { Host } from './host.ts';

export const lighttpd: Host = {
  name: 'lighttpd',
  title: 'lighttpd',
  testedOn: 'the real server',
  cannot: {
    'other-digits': 'a rule cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'control-characters': "Debian's configuration has them refused with 400 (url-ctrls-reject)",
    'exact-path': 'it makes one of the other before a rule sees it',
    'redirect-encoding': 'it decodes what it can of a query (url-normalize-unreserved)',
    'options-body': 'it answers OPTIONS for files by itself, and always without a body',
    'methods-body': "an error's body is a file, so that it cannot name the method",
    'rare-methods': "an error's body is a file, so that it cannot name the method",
    'unknown-methods': 'it answers methods that it does not know by itself, with 501 and HTML',
    gzip: 'no rule can ask whether a variant is there; mod_deflate compresses while it sends',
    brotli: 'no rule can ask whether a variant is there; mod_deflate compresses while it sends',
    'content-etag': 'its ETag is made of size and time: let times move when content does, as build does',
  },
  limits: {},
  render: ({ domain, base }) => {
    const path = `${literal(base)}/rest/(data|account)/`;
    const slashless = `^${literal(base)}/rest/(data|account)(\\?.+)?\\??$`;
    return [
      {
        path: 'palimpsest.conf',
        where: '/etc/lighttpd/conf-enabled/',
        text: `# A tree of palimpsest on lighttpd 1.4.50 or later. The lines that matter are marked with <--.

# A page is looked at for each request: else the old one would be sent for some seconds after a build.
server.stat-cache-engine = "disable"
# mod_setenv comes before mod_redirect, which Debian loads: else a redirect and 405 would go without their headers.
server.modules := ("mod_setenv", "mod_rewrite") + server.modules + ("mod_redirect")

$HTTP["host"] =~ "^${literal(domain)}(?::\\d+)?$" {
    server.document-root = "/var/www/palimpsest/out"                 # <-- the folder that palimpsest build writes
    server.errorfile-prefix = "/etc/lighttpd/palimpsest/unknown-"    # <-- the folder of the errors' bodies, here and below
    setenv.set-response-header = ("Content-Type" => "application/json")
    mimetype.assign = ("" => "application/json")
    index-file.names = ()
    server.range-requests = "disable"

    # The last "page" in the query decides. What is no page leads to a file that is never there.
    # ${LEGEND}
    url.rewrite-once = (
        "^${path}\\?${lastParameter(`=${number(`(${DIGITS})`)}`)}" => "/rest/$1/page/$2/index.json",
        "^${path}\\?${lastParameter('=last')}" => "/rest/$1/page/last/index.json",
        "^${path}\\?${lastParameter('=?')}" => "/rest/$1/index.json",
        "^${path}(?:\\?${NO_PARAMETER})?$" => "/rest/$1/index.json",
        "^${path}\\?" => "/rest/$1/none",
        "${slashless}" => "/slashless/$1$2",
        "" => "/none",
    )
    $HTTP["request-method"] == "OPTIONS" {
        url.rewrite-once = ("^${path}(?:\\?|$)" => "/rest/$1/index.json", "${slashless}" => "/slashless/$1$2", "" => "/none")
    }
    url.redirect = ("^/slashless/(data|account)(.*)$" => "${base}/rest/$1/$2")

    # From here on paths are as they were rewritten.
    $HTTP["url"] =~ "^/rest/" {
        server.errorfile-prefix = "/etc/lighttpd/palimpsest/page-"   # <--
        setenv.set-response-header = (
            "Content-Type" => "application/json",
            "Vary" => "Accept, Accept-Encoding",
            "Allow" => "GET, POST, OPTIONS",
            "Cache-Control" => "public, max-age=0, must-revalidate",
            "Access-Control-Allow-Origin" => "*",
            "Location" => "",
        )
        # There is no rule for a status: a redirect with another code than 301 is one, its Location left out above.
        $HTTP["request-method"] !~ "^(?:GET|HEAD|OPTIONS)$" {
            url.redirect = ("" => "/")
            url.redirect-code = 405
        }
    }
}
`,
      },
      { path: 'errors/page-405.html', where: '/etc/lighttpd/palimpsest/', text: '{"detail":"Method not allowed."}' },
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
