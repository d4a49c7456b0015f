import type { Version } from '../backup/catalog.ts';
import { plural, size } from '../terminal/amounts.ts';

/** Returns one version of the store as a line of text. */
export function versionLine({ number: version, pushed_at, records, accounts, bytes, fingerprint }: Version): string {
  return `version ${version} of ${pushed_at}: ${plural(records, 'record')} of ${plural(accounts, 'account')}, ${size(bytes)}, fingerprint ${fingerprint.slice(0, 12)}`;
}
