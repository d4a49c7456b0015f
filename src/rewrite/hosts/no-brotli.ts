/** The capability that no host with versions has. */
export const NO_BROTLI = { brotli: 'the files in a version are deflated, which serves gzip' };
