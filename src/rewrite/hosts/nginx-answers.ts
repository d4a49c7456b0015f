import { DIGITS, LEGEND, literal, number, parameter, UNNORMALIZED, VALUE } from '../patterns.ts';
import { DESCRIPTIONS, MISSING, NOT_FOUND } from '../resolve.ts';

/** From the query to the file of its page; `none` where it is no page. The same before a folder and before an origin. */
export const MAPS: string = `# The value of the last "page" in the query, as it came; without one it is empty.
# ${LEGEND}
# The captures have names: those with numbers would be overwritten by the next map.
map $args $palimpsest_value {
    default "";
    "~${parameter(`(?<palimpsest_last>${VALUE})`)}" $palimpsest_last;
}

# The file of that page. What is no page leads to a file that is never there. "last" is a pattern because
# a map compares plain texts without regard to case.
map $palimpsest_value $palimpsest_file {
    default "none";
    "" "index.json";
    "~^last$" "page/last/index.json";
    "~^${number(`(?<palimpsest_number>${DIGITS})`)}$" "page/$palimpsest_number/index.json";
}

map $is_args$args $palimpsest_query {
    default $is_args$args;
    "?" "";
}`;

/** What is decided before a location is looked for. */
export const BEFORE_LOCATIONS: string = `# nginx takes /rest//data/ and /rest/./data/ for /rest/data/: here they are no path of a collection.
    if ($request_uri ~ "^[^?]*${UNNORMALIZED}") { rewrite ^ /palimpsest-none; }
    # nginx refuses TRACE by itself.
    error_page 405 @palimpsest_method;`;

/** The location of both collections, up to its brace. */
export function pagesAt(base: string): string {
  return `# \\z, not $: that would also be before a line break at the end (%0A).
    location ~ ^${literal(base)}/rest/(?<palimpsest_collection>data|account)/\\z {`;
}

/** What is answered without a page's file: what such a location leads to, the missing slash, and what is no collection. */
export function answersAt(base: string): string {
  return `location @palimpsest_missing { return 404 '${MISSING.body}'; }
    location @palimpsest_method { return 405 '{"detail":"Method \\\\"$request_method\\\\" not allowed."}'; }
    location @palimpsest_data { return 200 '${DESCRIPTIONS['data']}'; }
    location @palimpsest_account { return 200 '${DESCRIPTIONS['account']}'; }

    location ~ ^${literal(base)}/rest/(?<palimpsest_slashless>data|account)\\z {
        return 301 ${base}/rest/$palimpsest_slashless/$palimpsest_query;
    }
    location / {
        # any header of its own keeps those above away
        add_header Cache-Control "no-cache" always;
        return 404 '${NOT_FOUND.body}';
    }`;
}
