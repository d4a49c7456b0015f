import { BROWSE_PATH, DIGITS, LEGEND, lastParameter, literal, NO_PARAMETER, number } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, headerLines, ONLY_RULES, PAGE_HEADERS, quoted } from './host.ts';
import { STATIC_ORIGIN_STEPS, staticOrigin } from './nginx-rules.ts';

export const host: Host = {
  name: 'haproxy',
  title: 'HAProxy',
  testedOn: 'the real server, in front of nginx as its origin',
  cannot: {
    ...ONLY_RULES,
    ...ETAG_OF_TIME,
  },
  render: ({ base, browse }) => {
    const path = `${literal(base)}/rest/(data|account)/`;
    const headers = headerLines(' ', (name, value) => (name === 'Content-Type' ? '' : `hdr ${name} "${value}"`));
    return [
      {
        path: 'palimpsest.cfg',
        where: 'the end of /etc/haproxy/haproxy.cfg',
        text: `# Answers from a palimpsest tree with HAProxy 2.4 or later, built with PCRE. Check the lines marked with <--.

frontend palimpsest
    mode http
    timeout client 30s
    bind :80              # <-- with TLS: bind :443 ssl crt /etc/haproxy/site.pem
    bind [::]:80 v6only   # <-- the same; delete this line without IPv6
    default_backend palimpsest_tree

    # A path may be percent-encoded. The pattern ends with \\z, because $ also matches before a final line break (%0A).
    acl known path,url_dec -m reg '^${literal(base)}/rest/(data|account)/?\\z'
    http-request set-path %[path,url_dec] if known
    acl collection path_reg ^${path}$
    acl slashless path_reg ^${literal(base)}/rest/(data|account)$
    acl asked query -m found
    acl nothing query -m len 0
    acl read method GET HEAD
${browse ? browseFiles(base) : ''}
    http-request redirect code 301 location %[path]/?%[query] if slashless asked !nothing
    http-request redirect code 301 location %[path]/ if slashless
    http-request return status 404 content-type application/json string '${NOT_FOUND.body}' if !collection${browse ? ' !is_file' : ''}
    http-request return status 200 content-type application/json string '${DESCRIPTIONS['data']}' ${headers} if { method OPTIONS } { path ${base}/rest/data/ }
    http-request return status 200 content-type application/json string '${DESCRIPTIONS['account']}' ${headers} if { method OPTIONS }
    http-request return status 405 content-type application/json lf-string '{"detail":"Method \\"%[method]\\" not allowed."}' ${headers} if !read

    # The last "page" parameter counts; url_param(page) would return the first. The path of an invalid page is not changed.
    # ${LEGEND}
    http-request replace-pathq '^${path}\\?${lastParameter(`=${number(`(${DIGITS})`)}`)}' /rest/\\1/page/\\2/index.json
    http-request replace-pathq '^${path}\\?${lastParameter('=last')}' /rest/\\1/page/last/index.json
    http-request replace-pathq '^${path}\\?${lastParameter('=?')}' /rest/\\1/index.json
    http-request replace-pathq '^${path}(?:\\?${NO_PARAMETER})?$' /rest/\\1/index.json
    http-request return status 404 content-type application/json string '${MISSING.body}' ${headers} if { path_reg ^${path}$ }

    # Scripts of other sites can also read redirects and 404 responses.
    http-after-response set-header Access-Control-Allow-Origin "*"${browse ? ' if !is_file' : ''}

    # A page is always sent whole.
    http-request del-header Range
    http-response del-header Accept-Ranges

    # An origin without the file sends its own error page. Object stores may answer 403.
${browse ? NO_BROWSE_FILE : ''}    http-response return status 404 content-type application/json string '${MISSING.body}' ${headers} if { status 403 404 }
    ${headerLines('\n    ', (name, value) => `http-response set-header ${name} ${quoted(value)}${browse ? ' if !is_file' : ''}`)}
${browse ? BROWSE_HEADER : ''}
backend palimpsest_tree
    mode http
    timeout connect 5s
    timeout server 30s
    server origin 127.0.0.1:8080    # <-- the server with the files of the tree: that of origin.conf, or another
`,
      },
      staticOrigin({ browse }),
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

/** Returns the rules for the files that people read, before the rules for pages. */
function browseFiles(base: string): string {
  const redirect = base === '' ? '' : `    http-request redirect code 301 location ${base}/ if { path ${base} }\n`;
  return `
    # The files that people read: the home page, and those below browse/.
    acl file path_reg ^${literal(base)}/${BROWSE_PATH}$
    acl is_file var(txn.palimpsest) -m str file
${redirect}    http-request set-path ${base}/index.html if { path ${base}/ }
    http-request return status 405 content-type application/json lf-string '{"detail":"Method \\"%[method]\\" not allowed."}' hdr Allow "GET, HEAD" if file !read
    http-request set-var(txn.palimpsest) str(file) if file
${base === '' ? '' : `    http-request replace-path ^${literal(base)}(/.*)$ \\1 if is_file\n`}`;
}

/** The answer for a browse file that does not exist. */
const NO_BROWSE_FILE = `    http-response return status 404 content-type application/json string '${NOT_FOUND.body}' if is_file { status 403 404 }
`;

const BROWSE_HEADER = `    http-response set-header Cache-Control ${quoted(PAGE_HEADERS['Cache-Control'] ?? '')} if is_file
`;
