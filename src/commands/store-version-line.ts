import type { StoreVersion } from '../backup/store-version.ts';
import { plural, size } from '../terminal/amounts.ts';

/** Returns one version of the store as a line of text. */
export function versionLine({ number: version, time, records, accounts, store_bytes, bytes, store }: StoreVersion): string {
  return `version ${version} of ${time}: ${plural(records, 'record')} of ${plural(accounts, 'account')}, ${size(store_bytes)} (${size(bytes)} compressed), fingerprint ${store.slice(0, 12)}`;
}
