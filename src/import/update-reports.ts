import { isBaseUrl } from '../contract/base-url.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { COLLECTIONS, type Collection } from '../contract/pages/collection.ts';
import type { PageSetReport } from '../sources/items/page-set.ts';
import type { Connection } from '../store/database/connection.ts';
import { addIncomplete, deleteIncomplete, incompleteMirrors, MirrorState, setIncomplete } from '../store/mirror-state.ts';

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
  for (const url of new Set(baseUrlsOf(pageSets, baseUrl))) {
    const known = incompleteMirrors(database).find(({ base_url }) => base_url === url);
    // a mirror knows the items of its service, and a report with numbers says more than an import can
    const isOwn = !isConfirmed(url) && (known === undefined || isWithoutNumbers(known));
    if (isOwn && new MirrorState(database, url).summary === undefined) updateOwn(database, url, imported);
  }
}

/** Whether a report is of an import, and has no numbers of missing items. */
function isWithoutNumbers({ request_count, missing }: IncompleteMirror): boolean {
  return request_count === 0 && missing.records + missing.accounts === 0;
}

/**
 * Sets or deletes the report of imports that nothing proves the pages of a service complete. It has no numbers of missing items: which items
 * of the store are of that service, and which it has removed, is not known.
 */
function updateOwn(database: Connection, url: string, { pageSets, isWhole, baseUrl }: ImportedPages): void {
  const sets = pageSets.filter((set) => baseUrlsOf([set], baseUrl).includes(url));
  const isComplete = (collection: Collection) => sets.some((set) => set.collection === collection && set.status === 'complete');
  if (isWhole && COLLECTIONS.every(isComplete)) deleteIncomplete(database, url);
  if (sets.every(({ status }) => status === 'complete')) return;
  const count = (collection: Collection) => Math.max(0, ...sets.filter((set) => set.collection === collection).map((set) => set.count));
  setIncomplete(database, url, {
    base_url: url,
    finished_at: `${new Date().toISOString().slice(0, 19)}Z`,
    request_count: 0,
    counted: { records: count('data'), accounts: count('account') },
    missing: { records: 0, accounts: 0 },
  });
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
