import { DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';
import type { Host } from './host.ts';

export const caddy: Host = {
  name: 'caddy',
  title: 'Caddy',
  testedOn: 'the real server',
  cannot: {
    'percent-decoding': 'a map cannot decode: %32 is answered with 404',
    'other-digits': 'a map cannot convert them: they are answered with 404',
    'digit-limit': 'a pattern does not count digits: more than 4,300 are answered with their page',
    'content-etag': 'its ETag is made of size and time: let times move when content does, as build does',
  },
  limits: {},
  render: ({ origin, base }) => {
    const headers = `header {
			Vary "Accept, Accept-Encoding"
			Allow "GET, POST, OPTIONS"
			Cache-Control "public, max-age=0, must-revalidate"
			Access-Control-Allow-Origin "*"
			Content-Type application/json
			-Accept-Ranges
			defer
		}`;
    return [
      {
        path: 'Caddyfile',
        where: 'the end of /etc/caddy/Caddyfile',
        text: `# A tree of palimpsest on Caddy 2.6 or later. The lines that matter are marked with <--.

# <-- the address, with its scheme. Requests for other names would be answered with an empty 200, or by another site.
${origin} {
	# <-- the folder that palimpsest build writes
	root * /var/www/palimpsest/out

	# The value of the last "page" in the query, as it came. Two maps, one after the other: in one, page=2&page=abc
	# would be matched by its first parameter, as there is no lookahead here.
	# ${LEGEND}
	map {query} {palimpsest_value} {
		"~${parameter(`(${VALUE})`)}" "\${1}"
		default ""
	}
	map {palimpsest_value} {palimpsest_file} {
		"~^$" "index.json"
		"last" "page/last/index.json"
		"~^${number(`(${DIGITS})`)}$" "page/\${1}/index.json"
		default "none"
	}

	# Caddy takes /rest//data/ and /rest/./data/ for /rest/data/: here they are no path of a collection.
	@unnormalized vars_regexp {http.request.orig_uri} "^[^?]*${UNNORMALIZED}"
	handle @unnormalized {
		header Content-Type application/json
		respond \`${NOT_FOUND.body}\` 404
	}

	@collection path_regexp palimpsest ^${literal(base)}/rest/(data|account)/$
	handle @collection {
		${headers}
		# a page is sent whole
		request_header -Range
		@data {
			method OPTIONS
			path ${base}/rest/data/
		}
		@account {
			method OPTIONS
			path ${base}/rest/account/
		}
		@other not method GET HEAD
		route {
			respond @data \`${DESCRIPTIONS['data']}\` 200
			respond @account \`${DESCRIPTIONS['account']}\` 200
			respond @other \`{"detail":"Method \\"{method}\\" not allowed."}\` 405
			rewrite * /rest/{re.palimpsest.1}/{palimpsest_file}
			file_server {
				precompressed br gzip
			}
		}
	}

	@slashless path_regexp slashless ^${literal(base)}/rest/(?:data|account)$
	handle @slashless {
		@asked expression {query} != ""
		redir @asked {path}/?{query} 301
		redir {path}/ 301
	}

	handle {
		header Content-Type application/json
		respond \`${NOT_FOUND.body}\` 404
	}

	# Only a page that is not there leads here. The headers from above do not: they are set again.
	handle_errors {
		${headers}
		respond \`${MISSING.body}\` {err.status_code}
	}
}
`,
      },
    ];
  },
  steps: [
    'apt-get install caddy',
    'cat Caddyfile >> /etc/caddy/Caddyfile',
    'caddy validate --config /etc/caddy/Caddyfile',
    'systemctl reload caddy',
  ],
};
