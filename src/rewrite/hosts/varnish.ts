import { accepts, BROWSE_PATH, DIGITS, LEGEND, literal, number, parameter, spelled, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, headerLines, ONLY_RULES, PAGE_HEADERS } from './host.ts';
import { STATIC_ORIGIN_STEPS, staticOrigin } from './nginx-rules.ts';

export const host: Host = {
  name: 'varnish',
  title: 'Varnish Cache',
  testedOn: 'the real server, in front of nginx as its origin',
  cannot: {
    ...ONLY_RULES,
    ...ETAG_OF_TIME,
    brotli: 'it requests only gzip or no compression from its origin',
  },
  render: ({ base, browse }) => [
    {
      path: 'palimpsest.vcl',
      where: '/etc/varnish/default.vcl',
      text: `vcl 4.1;
# Answers from a palimpsest tree with Varnish 6 or later. Debian's Varnish listens on port 6081. Check the lines marked
# with <--.

import std;

backend origin {
    .host = "127.0.0.1";   # <-- the server with the files of the tree: that of origin.conf, or another
    .port = "8080";        # <--
}

sub vcl_recv {
${browse ? browseFiles(base) : ''}    # Varnish does not decode paths. Each character may be percent-encoded: %72%65%73%74 means "rest".
    if (req.url ~ "^${spelled(`${base}/rest/data`)}(?:/|%2[Ff])?(?:\\?|$)") {
        set req.http.X-Collection = "data";
    } elsif (req.url ~ "^${spelled(`${base}/rest/account`)}(?:/|%2[Ff])?(?:\\?|$)") {
        set req.http.X-Collection = "account";
    } else {
        return (synth(404, "Not found."));
    }
    if (req.url !~ "^[^?]*(?:/|%2[Ff])(?:\\?|$)") {
        set req.http.X-Location = "${base}/rest/" + req.http.X-Collection + "/" + regsub(req.url, "^[^?]*(?:\\?$)?", "");
        return (synth(301));
    }
    if (req.method == "OPTIONS") {
        return (synth(200));
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (synth(405));
    }

    # X-Value is the undecoded value of the last "page" parameter. The conditions below parse it.
    # ${LEGEND}
    set req.http.X-Query = regsub(req.url, "^[^?]*\\??", "");
    set req.http.X-Value = "";
    if (req.http.X-Query ~ "${parameter(VALUE)}") {
        set req.http.X-Value = regsub(req.http.X-Query, "${parameter(`(${VALUE})`)}", "\\1");
    }
    if (req.http.X-Value == "") {
        set req.url = "/rest/" + req.http.X-Collection + "/index.json";
    } elsif (req.http.X-Value == "last") {
        set req.url = "/rest/" + req.http.X-Collection + "/page/last/index.json";
    } elsif (req.http.X-Value ~ "^${number(DIGITS)}$") {
        set req.url = "/rest/" + req.http.X-Collection + "/page/" + regsub(req.http.X-Value, "^${number(`(${DIGITS})`)}$", "\\1") + "/index.json";
    } else {
        return (synth(404, "Invalid page."));
    }
    unset req.http.X-Query;
    unset req.http.X-Value;
    unset req.http.X-Plain;
    if (req.http.Accept-Encoding !~ "(?i)${accepts('gzip')}") {
        set req.http.X-Plain = "1";
    }
    # A page is always sent whole.
    unset req.http.Range;
    # All clients get the same page: these headers must not create variants in the cache.
    unset req.http.Accept;
    unset req.http.Cookie;
    return (hash);
}

# Compressed and plain pages are cached separately. With one shared object, HEAD would return the wrong length.
sub vcl_hash {
    hash_data(req.http.X-Plain);
}

sub vcl_backend_fetch {
    if (bereq.http.X-Plain) {
        unset bereq.http.Accept-Encoding;
    }
}

sub vcl_backend_response {
    # A page may change with the next build. Varnish revalidates it at the origin with its ETag, as must-revalidate requires.
    set beresp.ttl = 0s;
    set beresp.grace = 0s;
    set beresp.keep = 1d;
    unset beresp.http.Set-Cookie;
}

sub vcl_deliver {
    # An origin without the file sends its own error page. Object stores may answer 403.
    if (resp.status == 404 || resp.status == 403) {
${browse ? NO_BROWSE_FILE : ''}        return (synth(404, "Invalid page."));
    }
    # Varnish supports a single ETag in If-None-Match, but neither a list nor *.
    if (resp.http.ETag && (req.http.If-None-Match == "*" || std.strstr(req.http.If-None-Match, resp.http.ETag))) {
        set req.http.If-None-Match = resp.http.ETag;
    }
    unset resp.http.Accept-Ranges;
${browse ? HEADERS : '    call palimpsest_headers;\n'}}

sub palimpsest_headers {
    ${headerLines('\n    ', (name, value) => `set resp.http.${name} = "${value}";`)}
}

sub vcl_synth {
    # Strings with JSON have three quotes, because {"…"} would end at the first "} of the JSON. A string that ends with a
    # quote is {"…"}.
    set resp.http.Content-Type = "application/json";
    set resp.http.Access-Control-Allow-Origin = "*";
    if (resp.status == 301) {
        set resp.http.Location = req.http.X-Location;
        set resp.body = "";
        return (deliver);
    }
    if (resp.status == 404 && resp.reason == "Not found.") {
        set resp.reason = "Not Found";
        set resp.body = """${NOT_FOUND.body}""";
        return (deliver);
    }
    call palimpsest_headers;
    if (resp.status == 404) {
        set resp.reason = "Not Found";
        set resp.body = """${MISSING.body}""";
    } elsif (resp.status == 405) {
        set resp.body = {"{"detail":"Method \\""} + req.method + """\\" not allowed."}""";
    } elsif (resp.status == 200 && req.http.X-Collection == "data") {
        set resp.body = """${DESCRIPTIONS['data']}""";
    } elsif (resp.status == 200) {
        set resp.body = """${DESCRIPTIONS['account']}""";
    }
    return (deliver);
}
`,
    },
    staticOrigin({ browse }),
  ],
  steps: [
    ...STATIC_ORIGIN_STEPS,
    'apt-get install varnish',
    'cp palimpsest.vcl /etc/varnish/default.vcl',
    'varnishd -C -f /etc/varnish/default.vcl > /dev/null',
    'systemctl restart varnish',
  ],
};

/** Returns the rules for the files that people read, before the rules for pages. */
function browseFiles(base: string): string {
  const redirect = `    if (req.url ~ "^${literal(base)}(?:\\?|$)") {
        set req.http.X-Location = "${base}/";
        return (synth(301));
    }
`;
  return `    # The files that people read: the home page, and those below browse/.
    unset req.http.X-Browse;
${base === '' ? '' : redirect}    if (req.url ~ "^${literal(base)}/(?:${BROWSE_PATH})?(?:\\?|$)") {
        if (req.method != "GET" && req.method != "HEAD") {
            return (synth(405));
        }
        set req.http.X-Browse = "1";
        set req.url = regsub(req.url, "^${literal(base)}/([^?]*).*$", "/\\1");
        if (req.url == "/") {
            set req.url = "/index.html";
        }
        unset req.http.X-Plain;
        if (req.http.Accept-Encoding !~ "(?i)${accepts('gzip')}") {
            set req.http.X-Plain = "1";
        }
        unset req.http.Range;
        unset req.http.Accept;
        unset req.http.Cookie;
        return (hash);
    }
`;
}

const NO_BROWSE_FILE = `        if (req.http.X-Browse) {
            return (synth(404, "Not found."));
        }
`;

const HEADERS = `    if (req.http.X-Browse) {
        set resp.http.Cache-Control = "${PAGE_HEADERS['Cache-Control']}";
    } else {
        call palimpsest_headers;
    }
`;
