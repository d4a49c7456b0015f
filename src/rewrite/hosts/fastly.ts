import { BROWSE_PATH, DIGITS, LEGEND, literal, number, parameter, spelled, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import { CAPABILITIES, type Capability, type Host, headerLines, ONLY_RULES, PAGE_HEADERS } from './host.ts';

const LINTED = 'falco checks the syntax and types of the VCL; no test runs it';

const CANNOT: Host['cannot'] = {
  ...ONLY_RULES,
  'content-etag': 'the ETag comes from the origin',
  'missing-tree': 'a rule sees one object of the origin, so each missing object is answered with 404',
};

export const host: Host = {
  name: 'fastly',
  title: 'Fastly VCL',
  testedOn: "falco only, a linter for Fastly's VCL",
  cannot: {},
  untested: untested(),
  render: ({ base, browse }) => [
    {
      path: 'palimpsest.vcl',
      where: 'a custom VCL, uploaded as main; the tree stays at the origin, a static file server or a bucket',
      text: `# Answers from a palimpsest tree behind Fastly. The macros of Fastly insert the settings of the service.
# The root of the origin is the folder that palimpsest build writes.

sub vcl_recv {
#FASTLY recv
  # vcl_deliver found that the origin has no such file
  if (req.restarts > 0) {
${browse ? NO_BROWSE_FILE : ''}    error 614;
  }
  unset req.http.X-Collection;
${browse ? browseFiles(base) : ''}  # Fastly does not decode paths. Each character may be percent-encoded: %72%65%73%74 means "rest".
  if (req.url.path ~ "^${spelled(`${base}/rest/data`)}(?:/|%2[Ff])?$") {
    set req.http.X-Collection = "data";
  } else if (req.url.path ~ "^${spelled(`${base}/rest/account`)}(?:/|%2[Ff])?$") {
    set req.http.X-Collection = "account";
  } else {
    error 604;
  }
  if (req.url.path !~ "(?:/|%2[Ff])$") {
    error 601;
  }
  if (req.method == "OPTIONS") {
    error 600;
  }
  if (req.method != "GET" && req.method != "HEAD") {
    error 605;
  }

  # X-Value is the undecoded value of the last "page" parameter. The conditions below parse it.
  # ${LEGEND}
  set req.http.X-Value = "";
  if (req.url.qs ~ "${parameter(`(${VALUE})`)}") {
    set req.http.X-Value = if(re.group.1, re.group.1, "");
  }
  if (req.http.X-Value == "") {
    set req.url = "/rest/" req.http.X-Collection "/index.json";
  } else if (req.http.X-Value == "last") {
    set req.url = "/rest/" req.http.X-Collection "/page/last/index.json";
  } else if (req.http.X-Value ~ "^${number(`(${DIGITS})`)}$") {
    set req.url = "/rest/" req.http.X-Collection "/page/" re.group.1 "/index.json";
  } else {
    error 614;
  }
  # A page is always sent whole.
  unset req.http.Range;
  # All clients get the same page: these headers must not create variants in the cache.
  unset req.http.Accept;
  unset req.http.Cookie;
  return(lookup);
}

sub vcl_fetch {
#FASTLY fetch
  # A page may change with the next build. Fastly asks the origin for each request, so no purge is needed.
  set beresp.ttl = 0s;
  return(deliver);
}

sub vcl_deliver {
#FASTLY deliver
  # An origin without the file sends its own error page. Buckets may answer 403.
  if ((resp.status == 404 || resp.status == 403) && req.restarts == 0 && req.url ~ "^/rest/(?:data|account)/page/[^/]+/index\\.json$${browse ? '|^/(?:index\\.html$|browse/)' : ''}") {
    restart;
  }
  if (req.http.X-Collection) {
    ${headerLines('\n    ', (name, value) => `set resp.http.${name} = "${value}";`)}
  }
${browse ? BROWSE_HEADERS : ''}  return(deliver);
}

sub vcl_error {
#FASTLY error
  set obj.http.Content-Type = "application/json";
  set obj.http.Access-Control-Allow-Origin = "*";
  if (obj.status == 600) {
    set obj.status = 200;
    set obj.response = "OK";
    if (req.http.X-Collection == "data") {
      synthetic {"${DESCRIPTIONS['data']}"};
    } else {
      synthetic {"${DESCRIPTIONS['account']}"};
    }
    return(deliver);
  }
  if (obj.status == 601) {
    set obj.status = 301;
    set obj.response = "Moved Permanently";
    set obj.http.Location = "${base}/rest/" req.http.X-Collection "/" if(req.url.qs == "", "", "?") req.url.qs;
    return(deliver);
  }
  if (obj.status == 604) {
    set obj.status = 404;
    set obj.response = "Not Found";
    synthetic ${json(NOT_FOUND.body ?? '')};
    return(deliver);
  }
  if (obj.status == 605) {
    set obj.status = 405;
    set obj.response = "Method Not Allowed";
    synthetic {"{"detail":"Method \\""} req.method ${json('\\" not allowed."}')};
    return(deliver);
  }
${browse && base !== '' ? toHome(base) : ''}  if (obj.status == 614) {
    set obj.status = 404;
    set obj.response = "Not Found";
    synthetic ${json(MISSING.body ?? '')};
    return(deliver);
  }
}
`,
    },
  ],
  steps: [],
};

/** Returns JSON as a long string of VCL. A long string ends at the first "}, so each such brace becomes a separate string. */
function json(text: string): string {
  return `{"${text.replaceAll('"}', '""} "}')}"`;
}

function untested(): NonNullable<Host['untested']> {
  const names = Object.keys(CAPABILITIES).filter((name): name is Capability => name in CAPABILITIES && name !== 'damaged-files');
  return Object.fromEntries(names.map((name) => [name, CANNOT[name] ?? LINTED]));
}

/** Returns the rules for the files that people read, before the rules for pages. */
function browseFiles(base: string): string {
  const redirect = `  if (req.url.path == "${base}") {
    error 602;
  }
`;
  return `  unset req.http.X-Browse;
  # The files that people read: the home page, and those below browse/.
${base === '' ? '' : redirect}  if (req.url.path ~ "^${literal(base)}/(${BROWSE_PATH})?$") {
    if (req.method != "GET" && req.method != "HEAD") {
      error 605;
    }
    set req.http.X-Browse = "1";
    set req.url = "/" if(re.group.1, re.group.1, "index.html");
    unset req.http.Range;
    unset req.http.Accept;
    unset req.http.Cookie;
    return(lookup);
  }
`;
}

const NO_BROWSE_FILE = `    if (req.http.X-Browse) {
      error 604;
    }
`;

const BROWSE_HEADERS = `  if (req.http.X-Browse) {
    set resp.http.Cache-Control = "${PAGE_HEADERS['Cache-Control']}";
  }
`;

/** Returns the redirect to the home page. */
function toHome(base: string): string {
  return `  if (obj.status == 602) {
    set obj.status = 301;
    set obj.response = "Moved Permanently";
    set obj.http.Location = "${base}/";
    return(deliver);
  }
`;
}
