/**
 * Where an archive has what the pages lack about accounts, as lines of an export without records: in a bag, in a tag file with this
 * name; in a WARC, in metadata records with this URI, whose blocks follow each other.
 */
export const IDENTITIES = { file: 'identities.ndjson', uri: 'urn:palimpsest:identities' } as const;
