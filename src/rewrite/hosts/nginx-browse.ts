import { BROWSE_PATH, literal } from '../patterns.ts';
import { BROWSE_TYPES, NOT_FOUND } from '../resolve.ts';
import { PAGE_HEADERS } from './headers.ts';

/** The media types of browse files, for a `types` block. */
export const TYPES: string = Object.entries(BROWSE_TYPES)
  .map(([suffix, type]) => `"${type}" ${suffix};`)
  .join(' ');

/** The header of browse files beside Content-Type. A location with it does not inherit the headers of the API. */
export const ADD_CACHE_CONTROL: string = `add_header Cache-Control "${PAGE_HEADERS['Cache-Control']}" always;`;

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
