import { DIGITS, LEGEND, number, parameter, spelled, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import { CAPABILITIES, type Capability } from './capability.ts';
import type { Host } from './host.ts';

const LINTED = 'falco reads the VCL and knows its types; nothing here runs it';

const CANNOT: Host['cannot'] = {
  'percent-decoding': 'left as for Varnish, of which this is a dialect: %32 is answered with 404',
  'other-digits': 'VCL cannot convert them: they are answered with 404',
  'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
  'content-etag': 'the ETag is the one of the origin behind it',
};

export const fastly: Host = {
  name: 'fastly',
  title: 'Fastly VCL',
  testedOn: "falco, a linter of Fastly's VCL, alone",
  cannot: {},
  untested: untried(),
  limits: {},
  render: ({ base }) => [
    {
      path: 'palimpsest.vcl',
      where: 'a custom VCL, uploaded as main; the tree stays on the origin, a server of static files or a bucket',
      text: `# A tree of palimpsest behind Fastly. The macros are Fastly's: they bring what the service has set.
# The origin's root is the folder that palimpsest build writes.

sub vcl_recv {
#FASTLY recv
  # vcl_deliver found that the origin has no such file
  if (req.restarts > 0) {
    error 614;
  }
  unset req.http.X-Collection;
  # Paths are asked as they came: each character may be percent-encoded, %72%65%73%74 spells rest.
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

  # The value of the last "page", as it came, and then what it is.
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
  # A page is sent whole.
  unset req.http.Range;
  # All clients get the same: what they accept must not make copies in the cache.
  unset req.http.Accept;
  unset req.http.Cookie;
  return(lookup);
}

sub vcl_fetch {
#FASTLY fetch
  # A page may be another after the next build; purge it, or let Fastly ask the origin each time as here.
  set beresp.ttl = 0s;
  return(deliver);
}

sub vcl_deliver {
#FASTLY deliver
  # An origin without the file answers in its own words; buckets say 403.
  if ((resp.status == 404 || resp.status == 403) && req.restarts == 0 && req.url ~ "^/rest/(?:data|account)/page/[^/]+/index\\.json$") {
    restart;
  }
  if (req.http.X-Collection) {
    set resp.http.Content-Type = "application/json";
    set resp.http.Vary = "Accept, Accept-Encoding";
    set resp.http.Allow = "GET, POST, OPTIONS";
    set resp.http.Cache-Control = "public, max-age=0, must-revalidate";
    set resp.http.Access-Control-Allow-Origin = "*";
  }
  return(deliver);
}

sub vcl_error {
#FASTLY error
  set obj.http.Content-Type = "application/json";
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
  if (obj.status == 614) {
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

/** A long string: it would end at the first "}, so the brace after a quote is a string of its own. */
function json(text: string): string {
  return `{"${text.replaceAll('"}', '""} "}')}"`;
}

function untried(): NonNullable<Host['untested']> {
  const names = Object.keys(CAPABILITIES).filter((name): name is Capability => name in CAPABILITIES);
  return Object.fromEntries(names.map((name) => [name, CANNOT[name] ?? LINTED]));
}
