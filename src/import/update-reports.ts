import { isBaseUrl } from '../contract/base-url.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import type { Collection } from '../contract/pages/collection.ts';
import type { PageSetReport } from '../sources/items/page-set.ts';
import type { Connection } from '../store/database/connection.ts';
import { addIncomplete, deleteIncomplete, incompleteMirrors, itemCounts, MirrorMemory, setIncomplete } from '../store/mirror-memory.ts';

interface ImportedPages {
  readonly pageSets: readonly PageSetReport[];
  /** The reports in the sources. */
  readonly incomplete: readonly IncompleteMirror[];
  /** Whether no item was rejected or left out. */
  readonly isWhole: boolean;
  /** The base URL of pages without links; undefined if it is unknown. */
  readonly baseUrl: string | undefined;
}

/** Updates the reports of what a store lacks: adds those in the sources, and one about missing pages. Deletes those that are true no longer. */
export function updateReports(database: Connection, imported: ImportedPages): void {
  const { pageSets, incomplete, isWhole, baseUrl } = imported;
  const before = incompleteMirrors(database);
  for (const report of incomplete) addIncomplete(database, report);
  const isConfirmed = (url: string) => incomplete.some(({ base_url }) => base_url === url);
  for (const report of before) {
    if (!isWhole || isConfirmed(report.base_url)) continue;
    if (hasAllPages(pageSets, report, baseUrl)) deleteIncomplete(database, report.base_url);
  }
  const reports = incompleteMirrors(database);
  for (const url of new Set([...reports.map(({ base_url }) => base_url), ...baseUrlsOf(pageSets, baseUrl)])) {
    const known = reports.find(({ base_url }) => base_url === url);
    // a mirror knows the items of its service, and an import only how many there are
    const isOfMirror = new MirrorMemory(database, url).summary !== undefined || (known?.request_count ?? 0) > 0;
    if (!isOfMirror && !isConfirmed(url)) updateOwn(database, url, known, imported);
  }
}

/** Sets or deletes the report of imports about the pages of one service. @param known the report of earlier imports */
function updateOwn(database: Connection, url: string, known: IncompleteMirror | undefined, imported: ImportedPages): void {
  const sets = imported.pageSets.filter((set) => baseUrlsOf([set], imported.baseUrl).includes(url));
  if (known === undefined && sets.every(({ status }) => status === 'complete')) return;
  const has = itemCounts(database);
  const lackOf = (collection: Collection, items: keyof typeof has) => {
    const set = sets.find((one) => one.collection === collection && (one.status !== 'complete' || imported.isWhole));
    return lackIn(set, known?.counted[items] ?? 0, known?.missing[items] ?? 0, has[items]);
  };
  const [records, accounts] = [lackOf('data', 'records'), lackOf('account', 'accounts')];
  const counted = { records: records.counted, accounts: accounts.counted };
  const missing = { records: records.missing, accounts: accounts.missing };
  const finished_at = `${new Date().toISOString().slice(0, 19)}Z`;
  if (records.isNone && accounts.isNone) deleteIncomplete(database, url);
  else if (sets.length > 0) setIncomplete(database, url, { base_url: url, finished_at, request_count: 0, counted, missing });
}

/**
 * Returns how many items of a collection a service counts, how many of them a store lacks at least, and whether it is known to lack none.
 * @param known the count of earlier imports
 * @param lack what the store lacked after them
 * @param has the number of items in the store. Those of other sources count too, so a higher number than the count proves nothing
 */
function lackIn(
  set: PageSetReport | undefined,
  known: number,
  lack: number,
  has: number,
): { readonly counted: number; readonly missing: number; readonly isNone: boolean } {
  const isNewer = set !== undefined && set.count >= known;
  const counted = isNewer ? set.count : known;
  const most = isNewer ? (set.reason === null ? set.missingItems : counted) : lack;
  const isProven = isNewer && set.status === 'complete';
  return { counted, missing: Math.max(0, Math.min(most, counted - has)), isNone: isProven || counted === 0 || counted === has };
}

/** Returns the base URLs of saved pages. @param known that of pages without links: a collection on one page has none */
function baseUrlsOf(sets: readonly PageSetReport[], known: string | undefined): readonly string[] {
  const urls = sets.flatMap(({ url }) => (url === null ? known : /^(.*)\/rest\/(?:data|account)\/$/.exec(url)?.[1]) ?? []);
  return urls.filter(isBaseUrl);
}

/** Whether the imported pages have all items that the service counted in a report. */
function hasAllPages(sets: readonly PageSetReport[], { base_url, counted, missing }: IncompleteMirror, known: string | undefined): boolean {
  // a service that shows more than it counts: no number proves that pages are all
  if (missing.records + missing.accounts === 0) return false;
  const isHere = ({ url, collection }: PageSetReport) => url === `${base_url}/rest/${collection}/`;
  const hasAll = (collection: Collection, least: number) => {
    const all = sets.filter((set) => set.collection === collection);
    const here = all.filter(isHere);
    // a collection on one page has no links, and so no address
    const proofs = here.length > 0 ? here : all.filter(({ url }) => url === null);
    return proofs.some(({ status, count }) => status === 'complete' && count >= least);
  };
  const isOfService = sets.some(isHere) || (known === base_url && sets.every(({ url }) => url === null));
  return isOfService && hasAll('data', counted.records) && hasAll('account', counted.accounts);
}
