/** The object that identifies a site of pages at a target. */
export const SITE_MARKER = 'publish.json';
/** The object of a target with versions. It says of what, and never changes. */
export const VERSIONS_MARKER = 'palimpsest.json';

/** Marks an SQLite file as a store: the `application_id` in the header of the file ("Palm"). */
export const STORE_APPLICATION_ID = 0x50616c6d;
