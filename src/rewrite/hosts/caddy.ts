import { BROWSE_PATH, DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { BROWSE_TYPES, DESCRIPTIONS, MISSING, NOT_FOUND, UNREADABLE } from '../resolve.ts';
import { ETAG_OF_TIME, type Host, headerLines, ONLY_RULES, PAGE_HEADERS, quoted } from './host.ts';

export const host: Host = {
  name: 'caddy',
  title: 'Caddy',
  testedOn: 'the real server',
  cannot: {
    ...ONLY_RULES,
    ...ETAG_OF_TIME,
  },
  render: ({ origin, base, browse }) => {
    const headers = `header {
			${headerLines('\n\t\t\t', (name, value) => `${name} ${quoted(value)}`)}
			-Accept-Ranges
			defer
		}`;
    return [
      {
        path: 'Caddyfile',
        where: 'the end of /etc/caddy/Caddyfile',
        text: `# Answers from a palimpsest tree with Caddy 2.6 or later. Check the lines marked with <--.

# <-- the address, with its scheme. Caddy answers requests for other names with an empty 200 or from another site.
${origin} {
	# <-- the folder that palimpsest build writes
	root * /var/www/palimpsest/out

	# The first map captures the undecoded value of the last "page" parameter, the second parses it. A single map would
	# match page=2&page=abc with its first parameter, because Caddy's patterns have no lookahead.
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

	# Caddy normalizes /rest//data/ and /rest/./data/ to /rest/data/. Django REST Framework answers them with 404.
	@unnormalized vars_regexp {http.request.orig_uri} "^[^?]*${UNNORMALIZED}"
	handle @unnormalized {
		header Content-Type application/json
		header Access-Control-Allow-Origin *
		respond \`${NOT_FOUND.body}\` 404
	}

	@collection path_regexp palimpsest ^${literal(base)}/rest/(data|account)/$
	handle @collection {
		${headers}
		# a page is always sent whole
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

${browse ? browseFiles(base) : ''}	@slashless path_regexp slashless ^${literal(base)}/rest/(?:data|account)$
	handle @slashless {
		header Access-Control-Allow-Origin *
		@asked expression {query} != ""
		redir @asked {path}/?{query} 301
		redir {path}/ 301
	}

	handle {
		header Content-Type application/json
		header Access-Control-Allow-Origin *
		respond \`${NOT_FOUND.body}\` 404
	}

	# Only a file that is missing or cannot be read reaches this handler. The headers above do not apply here, so they are set again.
	handle_errors {
		@unreadable expression {err.status_code} != 404
		respond @unreadable \`${UNREADABLE.body}\` 503
		# every tree has page 1
		@gone not file /rest/data/index.json
		respond @gone \`${UNREADABLE.body}\` 503
${browse ? noBrowseFile(base) : ''}		${headers}
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

/** Returns the rules for the files that people read. */
function browseFiles(base: string): string {
  const redirect = `	@withoutSlash path_regexp ^${literal(base)}$
	handle @withoutSlash {
		redir * ${base}/ 301
	}
`;
  const types = Object.entries(BROWSE_TYPES).map(
    ([suffix, type]) => `			@${suffix} path *.${suffix}
			header @${suffix} Content-Type ${quoted(type)}
`,
  );
  return `	# The files that people read: the home page, and those below browse/.
${base === '' ? '' : redirect}	@browse path_regexp browse ^${literal(base)}/(${BROWSE_PATH})?$
	handle @browse {
		header {
			Cache-Control ${quoted(PAGE_HEADERS['Cache-Control'] ?? '')}
			-Accept-Ranges
			defer
		}
		request_header -Range
		@refused not method GET HEAD
		@named not path ${base}/
		route {
			respond @refused \`{"detail":"Method \\"{method}\\" not allowed."}\` 405
			rewrite @named /{re.browse.1}
			rewrite ${base}/ /index.html
${types.join('')}			file_server
		}
	}

`;
}

/** Returns the answer for a browse file that does not exist. */
function noBrowseFile(base: string): string {
  return `		@file vars_regexp {http.request.orig_uri} "^${literal(base)}/(?:${BROWSE_PATH})?(?:\\?|$)"
		respond @file \`${NOT_FOUND.body}\` {err.status_code}
`;
}
