import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { type IncompleteMirror, lackSentence } from '../contract/files/incomplete-mirror.ts';
import { lackOf, type PageSetReport } from '../sources/items/page-set.ts';

/** @throws Failure incomplete for what a source says that it lacks, and for the first set of pages that is not known to be complete, or whose other collection has none, or if there are no pages */
export function requireComplete(sets: readonly PageSetReport[], [lack]: readonly IncompleteMirror[]): void {
  if (lack !== undefined) {
    throw new Failure('incomplete', 'a source is not known to be complete', {
      expected: 'a source that is known to be complete',
      found: lackSentence(lack),
      hint: `mirror ${lack.base_url} again or import its missing pages, and make a new archive; or leave out --require-complete; nothing was imported`,
    });
  }
  const lacking = sets.find(({ status }) => status !== 'complete') ?? sets.find((set) => isAlone(set, sets));
  if (sets.length > 0 && lacking === undefined) return;
  throw new Failure(
    'incomplete',
    lacking === undefined ? 'no source contains pages that prove it complete' : 'the saved pages are not known to be complete',
    {
      place: lacking?.url ? { file: lacking.url } : {},
      ...lackIn(lacking),
      hint:
        lacking === undefined
          ? 'leave out --require-complete: only saved pages and archives of pages have a count; an export is always checked for missing lines; nothing was imported'
          : 'save the missing pages or all pages again, or leave out --require-complete; nothing was imported',
    },
  );
}

function lackIn(set: PageSetReport | undefined): { readonly expected: string; readonly found: string } {
  if (set === undefined) return { expected: 'saved pages, which contain a count', found: 'sources without pages' };
  if (set.status === 'complete') {
    const other = set.collection === 'data' ? 'accounts' : 'feed';
    const found = set.collection === undefined ? 'one empty page, which does not say its collection' : `no page of the ${other}`;
    return { expected: 'pages of the feed and of the accounts', found };
  }
  const items = set.count === 1 ? 'the only item' : `all ${plural(set.count, 'item')}`;
  return { expected: `pages that contain ${items}`, found: lackOf(set) };
}

/** Whether there are pages of a collection, and none of the other one of the same service. */
function isAlone({ collection, url, pages }: PageSetReport, sets: readonly PageSetReport[]): boolean {
  const parent = (address: string) => address.replace(/[^/]*\/$/, '');
  // a collection on one page has no address, and an empty page does not say its collection
  const isOther = (set: PageSetReport) =>
    set.collection !== collection && (url === null || set.url === null || parent(set.url) === parent(url));
  return collection === undefined ? sets.length === 1 && pages === 1 : !sets.some(isOther);
}
