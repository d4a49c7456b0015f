import { VERSION } from '../version.ts';

/** What requests say of who sends them, unless the user says otherwise. */
export const USER_AGENT: string = `palimpsest/${VERSION}`;
