import { rm, writeFile } from 'node:fs/promises';
import { type Exclusion, encodeExclusion, handleHash } from '../contract/exclusion.ts';
import type { LocalZip } from '../versions/site-version.ts';

/**
 * Rebuilds a tree in a ZIP without removed accounts: imports its pages into a new store that excludes them, and builds it again.
 * @param accounts the handles of the removed accounts in this tree. Another account can have one of them now
 * @throws Failure those of `importInputs` and `build`
 */
export async function rebuildVersion(
  { path, build: { base_url, page_size, account_page_size, browse_files = 0 } }: LocalZip,
  exclusions: readonly Exclusion[],
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<LocalZip> {
  const [{ inputsOf }, { importInputs }, { build }, { openLocalZip }] = await Promise.all([
    import('../sources/inputs.ts'),
    import('../import/import.ts'),
    import('../tree/build.ts'),
    import('../versions/site-version.ts'),
  ]);
  const [store, list, out] = [`${path}.db`, `${path}.exclusions.ndjson`, `${path}.rebuilt.zip`];
  const [first] = exclusions;
  const here = first === undefined ? [] : [{ ...first, handles: accounts.map(handleHash).toSorted(), stable_ids: [], records: [] }];
  await writeFile(list, [...exclusions, ...here].map((one) => `${encodeExclusion(one)}\n`).join(''));
  // the exclusions first, so that no excluded item gets into the store
  await importInputs(store, inputsOf([list, path], empty()), { onConflict: 'fail', signal });
  await build(store, { out, site: { base_url, page_size, account_page_size }, html: browse_files > 0, signal });
  await Promise.all([store, list].map((file) => rm(file)));
  return openLocalZip(out);
}

async function* empty(): AsyncGenerator<Uint8Array> {}
