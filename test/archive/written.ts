import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ImportOptions, type ImportSummary, importInputs } from '../../src/import/import.ts';
import type { ArchiveReport } from '../../src/sources/archives/capture-selection.ts';
import { openArchives } from '../../src/sources/archives/web-archive-inputs.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import type { InputError } from '../../src/sources/source.ts';
import { account, record } from '../mirror/canned-service.ts';
import { idsIn } from '../mirror/mirrored.ts';
import { temporaryFolder } from '../support/folder.ts';

export const BASE = 'https://history.example';

/** A record of a WARC as other tools write it. */
export function warcRecord(fields: Readonly<Record<string, string>>, block: Buffer | string, version = 'WARC/1.0'): Buffer {
  const bytes = Buffer.from(block);
  const lines = [
    version,
    ...Object.entries({ ...fields, 'Content-Length': String(bytes.length) }).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes, Buffer.from('\r\n\r\n')]);
}

/** An HTTP response. */
export function http(status: number, body: Buffer | string, headers: readonly string[] = ['Content-Type: application/json']): Buffer {
  return Buffer.concat([Buffer.from(`${[`HTTP/1.1 ${status} Any`, ...headers].join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** A response record at an address below the base URL. */
export function capture(target: string, block: Buffer, more: Readonly<Record<string, string>> = {}): Buffer {
  return warcRecord({ 'WARC-Type': 'response', 'WARC-Target-URI': BASE + target, 'WARC-Date': '2026-01-01T00:00:00Z', ...more }, block);
}

export interface Imported {
  readonly ids: readonly number[];
  readonly report: ArchiveReport | undefined;
  readonly summary: ImportSummary;
}

/** Imports a file with archives into a new store. */
export async function importFile(
  path: string,
  onDamage?: (error: InputError) => void,
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  const { inputs, reports, close } = await openArchives(inputsOf([path], process.stdin), onDamage);
  const store = join(temporaryFolder(), 'store.db');
  try {
    const summary = await importInputs(store, inputs, { onConflict: 'fail', ...options });
    return { ids: idsIn(store), report: reports[0], summary };
  } finally {
    close();
  }
}

/** Pages of a feed with records of one account, newest first, and the page of the account. */
export function pagesOf(ids: readonly number[], size = 10): Map<string, string> {
  const records = ids.map((id) => record(id));
  const pages = Math.max(1, Math.ceil(records.length / size));
  const address = (page: number) => `/rest/data/${page === 1 ? '' : `?page=${page}`}`;
  const entries = Array.from({ length: pages }, (_, index): readonly [string, string] => [
    address(index + 1),
    JSON.stringify({
      count: records.length,
      next: index + 1 < pages ? BASE + address(index + 2) : null,
      previous: index > 0 ? BASE + address(index) : null,
      results: records.slice(index * size, (index + 1) * size),
    }),
  ]);
  const accounts = JSON.stringify({ count: 1, next: null, previous: null, results: [account('jack', records)] });
  return new Map([...entries, ['/rest/account/', accounts]]);
}

/** Ids from the highest down to the lowest. */
export function idsDown(highest: number, lowest = 1): number[] {
  return Array.from({ length: highest - lowest + 1 }, (_, index) => highest - index);
}

/** A compressed WARC that expands to a thousand times its size. */
export function bomb(): Buffer {
  return gzipSync(capture('/rest/data/', Buffer.alloc((1 << 26) + (1 << 20))));
}
