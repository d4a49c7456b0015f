/** The objects that identify the content of a target: a public site, or private copies of a store. */
export const SITE_MARKER = 'publish.json';
export const STORE_MARKER = 'store.json';
/** The object of a target with versions. It says of what, and never changes. */
export const VERSIONS_MARKER = 'palimpsest.json';
