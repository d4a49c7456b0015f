import { type DamagedTree, type Json, objectsIn } from '../damaged-tree.ts';
import { type Damage, damaged, GARBAGE, sealed } from './damage.ts';

const MIDDLE = 'rest/data/page/5/index.json';
const BASE = 'https://history.example/api/rest/data/';

/** Damages of pages: their JSON, and how they fit together. `invalid-pages.test.ts` has many more for a page alone. */
export const PAGE_DAMAGES: readonly Damage[] = sealed([
  damaged(
    'a page is cut short',
    ['page-json', MIDDLE],
    (tree) => tree.editText('data', 5, (text) => text.slice(0, -30)),
    'account-data-surplus',
  ),
  damaged('a page is an error', ['page-envelope', MIDDLE], setting('data', 5, { results: null }), 'account-data-surplus'),
  damaged('a page has another form', ['page-bytes', MIDDLE], (tree) => tree.editText('data', 5, (text) => `${text}\n`)),
  damaged('the second file of a page is binary garbage', ['duplicate-mismatch', 'rest/data/page/last/index.json'], (tree) =>
    tree.write('rest/data/page/last/index.json', GARBAGE),
  ),
  damaged('a count is wrong', ['page-count', MIDDLE, undefined, '59'], setting('data', 5, { count: 59 })),
  damaged('a page is skipped', ['page-next', MIDDLE, undefined, '?page=7'], setting('data', 5, { next: `${BASE}?page=7` })),
  damaged(
    'all links have the base URL of an earlier build',
    ['page-next', 'rest/account/page/2/index.json', undefined, 'https://new.example/rest/account/?page=3'],
    (tree) => tree.editBuild({ base_url: 'https://new.example' }),
    'page-previous',
  ),
  damaged(
    'previous of page 2 has a page parameter',
    ['page-previous', 'rest/data/page/2/index.json', undefined, '?page=1'],
    setting('data', 2, { previous: `${BASE}?page=1` }),
  ),
  damaged('a record is one page too late', ['page-items', 'rest/data/page/4/index.json', undefined, '7 items'], (tree) => {
    const moved = objectsIn(tree.page('data', 4).results).at(-1);
    tree.editPage('data', 4, (page) => Object.assign(page, { results: objectsIn(page.results).slice(0, -1) }));
    tree.editPage('data', 5, (page) => Object.assign(page, { results: [moved, ...objectsIn(page.results)] }));
  }),
]);

function setting(collection: 'data' | 'account', number: number, changes: Json): (tree: DamagedTree) => void {
  return (tree) => tree.editPage(collection, number, (page) => Object.assign(page, changes));
}
