import { BROWSE_TYPES, HTML_FOLDERS } from '../browse.ts';
import { BROWSE_PATH, literal, names } from '../patterns.ts';
import { NOT_FOUND } from '../resolve.ts';
import { PAGE_HEADERS } from './headers.ts';

/** The media types of browse files, for a `types` block. */
export const TYPES: string = Object.entries(BROWSE_TYPES)
  .map(([suffix, type]) => `"${type}" ${suffix};`)
  .join(' ');

/** The header of browse files beside Content-Type. A location with it does not inherit the headers of the API. */
export const ADD_CACHE_CONTROL: string = `add_header Cache-Control "${PAGE_HEADERS['Cache-Control']}" always;`;

/** Maps a request to the file of the tree that answers it: to an HTML page if the client asks for HTML. */
export const BROWSE_MAPS: string = `
# Clients that ask for HTML get HTML pages. Like Django REST Framework, this ignores weights (q). The first match counts.
map $http_accept $palimpsest_form {
    default "";
    "~*${names('application/json')}" "";
    "~*${names('text/html')}" "html";
}

# The path of the file in the tree. The last page has no second file in HTML.
map "$palimpsest_browse $palimpsest_form $palimpsest_collection $palimpsest_file" $palimpsest_path {
    default "rest/$palimpsest_collection/$palimpsest_file";
    "~^(?<palimpsest_name>[^ ]+) " "$palimpsest_name";
${Object.entries(HTML_FOLDERS)
  .map(
    ([collection, folder]) => `    " html ${collection} index.json" "${folder}/1.html";
    "~^ html ${collection} page/(?<palimpsest_${collection}_page>[0-9]+)/" "${folder}/$palimpsest_${collection}_page.html";
`,
  )
  .join('')}}
`;

/** Returns the start of the location of browse files, after its opening brace, and the locations that lead to it. */
export function browseAt(base: string): string {
  const redirect = base === '' ? '' : `location = ${base} { return 301 ${base}/; }\n    `;
  return `${redirect}location = ${base}/ { rewrite ^ ${base}/index.html last; }
    location ~ ^${literal(base)}/(?<palimpsest_browse>${BROWSE_PATH})\\z {`;
}

/** The location that answers for a browse file that does not exist. */
export const NO_BROWSE_FILE: string = `location @palimpsest_not_found {
        add_header Cache-Control "no-cache" always;
        return 404 '${NOT_FOUND.body}';
    }`;
