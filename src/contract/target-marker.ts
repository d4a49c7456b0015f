/** The object that identifies a site of pages at a target. */
export const SITE_MARKER = 'publish.json';
/** The object of a target with versions. It says of what, and never changes. */
export const VERSIONS_MARKER = 'palimpsest.json';
