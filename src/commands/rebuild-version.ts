import { rm, writeFile } from 'node:fs/promises';
import { type Exclusion, encodeExclusion, handleHash } from '../contract/accounts/exclusion.ts';
import type { AccountsFound } from '../versions/removed-accounts.ts';
import type { LocalZip } from '../versions/site-version.ts';

/**
 * Rebuilds a tree in a ZIP without removed accounts: imports its pages into a new store that excludes them, and builds it again.
 * @param found the handles of the removed accounts in this tree, which other accounts can have now, and those of other accounts
 * @throws Failure those of `importInputs` and `build`
 */
export async function rebuildVersion(
  { path, build: { base_url, page_size, account_page_size, about, noindex, browse_files = 0 } }: LocalZip,
  exclusions: readonly Exclusion[],
  found: AccountsFound,
  signal: AbortSignal,
): Promise<LocalZip> {
  const [{ inputsOf }, { importInputs }, { build }, { openLocalZip }] = await Promise.all([
    import('../sources/inputs/inputs.ts'),
    import('../import/import.ts'),
    import('../tree/build/build.ts'),
    import('../versions/site-version.ts'),
  ]);
  const [store, list, out] = [`${path}.db`, `${path}.exclusions.ndjson`, `${path}.rebuilt.zip`];
  const [first] = exclusions;
  const here = first === undefined ? [] : [{ ...first, handles: found.removed.map(handleHash).toSorted(), stable_ids: [], records: [] }];
  const others = new Set(found.others.map(handleHash));
  const excluded = exclusions
    .map((one) => ({ ...one, handles: one.handles.filter((handle) => !others.has(handle)) }))
    .filter((one) => one.handles.length + one.stable_ids.length > 0);
  await writeFile(list, [...excluded, ...here].map((one) => `${encodeExclusion(one)}\n`).join(''));
  // the exclusions first, so that no excluded item gets into the store
  await importInputs(store, inputsOf([list, path], empty()), { onConflict: 'fail', signal });
  await build(store, { out, site: { base_url, page_size, account_page_size }, html: browse_files > 0, about, noindex, signal });
  await Promise.all([store, list].map((file) => rm(file)));
  return openLocalZip(out);
}

async function* empty(): AsyncGenerator<Uint8Array> {}
