/** The objects by which a target says what it holds: a site that readers see, or copies of a store, which are private. */
export const SITE_MARKER = 'publish.json';
export const STORE_MARKER = 'store.json';
