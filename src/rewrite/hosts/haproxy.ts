import { DIGITS, LEGEND, lastParameter, literal, NO_PARAMETER, number } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import type { Host } from './host.ts';
import { STATIC_ORIGIN_STEPS, staticOrigin } from './static-origin.ts';

export const haproxy: Host = {
  name: 'haproxy',
  title: 'HAProxy',
  testedOn: 'the real server, before nginx as its origin',
  cannot: {
    'percent-decoding': 'a replacement cannot decode: %32 is answered with 404',
    'other-digits': 'a replacement cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'content-etag': 'the ETag is the one of the origin behind it: nginx makes it of size and time',
  },
  limits: {},
  render: ({ base }) => {
    const path = `${literal(base)}/rest/(data|account)/`;
    const headers = `hdr Vary "Accept, Accept-Encoding" hdr Allow "GET, POST, OPTIONS" hdr Cache-Control "public, max-age=0, must-revalidate" hdr Access-Control-Allow-Origin "*"`;
    return [
      {
        path: 'palimpsest.cfg',
        where: 'the end of /etc/haproxy/haproxy.cfg',
        text: `# A tree of palimpsest behind HAProxy 2.4 or later, built with PCRE. The lines that matter are marked with <--.

frontend palimpsest
    mode http
    timeout client 30s
    bind :80              # <-- with TLS: bind :443 ssl crt /etc/haproxy/site.pem
    bind [::]:80 v6only   # <-- the same; without IPv6 leave it out
    default_backend palimpsest_tree

    # A path may be percent-encoded. \\z, not $: that would also be before a line break at the end (%0A).
    acl known path,url_dec -m reg '^${literal(base)}/rest/(data|account)/?\\z'
    http-request set-path %[path,url_dec] if known
    acl collection path_reg ^${path}$
    acl slashless path_reg ^${literal(base)}/rest/(data|account)$
    acl asked query -m found
    acl nothing query -m len 0
    acl read method GET HEAD

    http-request redirect code 301 location %[path]/?%[query] if slashless asked !nothing
    http-request redirect code 301 location %[path]/ if slashless
    http-request return status 404 content-type application/json string '${NOT_FOUND.body}' if !collection
    http-request return status 200 content-type application/json string '${DESCRIPTIONS['data']}' ${headers} if { method OPTIONS } { path ${base}/rest/data/ }
    http-request return status 200 content-type application/json string '${DESCRIPTIONS['account']}' ${headers} if { method OPTIONS }
    http-request return status 405 content-type application/json lf-string '{"detail":"Method \\"%[method]\\" not allowed."}' ${headers} if !read

    # The last "page" in the query decides; url_param(page) would take the first. What is no page stays as it is.
    # ${LEGEND}
    http-request replace-pathq '^${path}\\?${lastParameter(`=${number(`(${DIGITS})`)}`)}' /rest/\\1/page/\\2/index.json
    http-request replace-pathq '^${path}\\?${lastParameter('=last')}' /rest/\\1/page/last/index.json
    http-request replace-pathq '^${path}\\?${lastParameter('=?')}' /rest/\\1/index.json
    http-request replace-pathq '^${path}(?:\\?${NO_PARAMETER})?$' /rest/\\1/index.json
    http-request return status 404 content-type application/json string '${MISSING.body}' ${headers} if { path_reg ^${path}$ }

    # A page is sent whole.
    http-request del-header Range
    http-response del-header Accept-Ranges

    # An origin without the file answers in its own words; object stores say 403.
    http-response return status 404 content-type application/json string '${MISSING.body}' ${headers} if { status 403 404 }
    http-response set-header Content-Type application/json
    http-response set-header Vary "Accept, Accept-Encoding"
    http-response set-header Allow "GET, POST, OPTIONS"
    http-response set-header Cache-Control "public, max-age=0, must-revalidate"
    http-response set-header Access-Control-Allow-Origin "*"

backend palimpsest_tree
    mode http
    timeout connect 5s
    timeout server 30s
    server origin 127.0.0.1:8080    # <-- where origin.conf, or another server, has the files of the tree
`,
      },
      staticOrigin,
    ];
  },
  steps: [
    ...STATIC_ORIGIN_STEPS,
    'apt-get install haproxy',
    'cat palimpsest.cfg >> /etc/haproxy/haproxy.cfg',
    'haproxy -c -f /etc/haproxy/haproxy.cfg',
    'systemctl reload haproxy',
  ],
};
