/** The version of this release, the same as in package.json. */
export const VERSION = '0.1.0';

/** The default `User-Agent` of requests. */
export const USER_AGENT: string = `palimpsest/${VERSION}`;
