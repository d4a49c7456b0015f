import type { Version } from '../backup/catalog.ts';
import type { Traffic } from '../storage/retry.ts';
import { number, size } from '../terminal.ts';

/** A version as people read it. */
export function versionLine({ number: version, pushed_at, records, accounts, bytes, fingerprint }: Version): string {
  return `version ${version} of ${pushed_at}: ${number(records)} records of ${number(accounts)} accounts, ${size(bytes)}, ${fingerprint.slice(0, 12)}`;
}

/** How many requests there were, for machines. */
export function trafficOf({ requests: all, writes, reads, deletes, retries }: Traffic): object {
  return { all, writes, reads, deletes, retries };
}
