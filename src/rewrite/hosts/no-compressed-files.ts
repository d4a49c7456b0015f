import type { Host } from './host.ts';

const REASON = 'pages are composed on request, so there are no compressed copies; a proxy or CDN in front can compress them';

/** The capabilities that hosts lack with the composed layout if nothing compresses responses. */
export const NO_COMPRESSED_FILES: Host['cannot'] = { gzip: REASON, brotli: REASON };
