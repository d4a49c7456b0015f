import { VERSION } from '../version.ts';

/** The default `User-Agent` of requests. */
export const USER_AGENT: string = `palimpsest/${VERSION}`;
