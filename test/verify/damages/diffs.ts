import type { ChangeRecord } from '../../../src/contract/record.ts';
import type { Rule } from '../../../src/verify/violation.ts';
import { type DamagedTree, one } from '../damaged-tree.ts';
import { type Damage, damaged, sealed } from './damage.ts';

/** A further change of the Bio of ada, newer than all others. The Bio before is "plain". */
type Change = Pick<ChangeRecord, 'text' | 'diff_html'>;

const DATE = '2016-02-29T00:30:00.000000Z';
const HALF_A_SECOND_BEFORE = '2016-02-29T00:29:59.500000Z';
/** Two ids for that date: a generated one (the date in microseconds), and one that another program might give. */
const [GENERATED_ID, IMPORTED_ID] = [1_456_705_800_000_000, 500];

const DEL = '<del style="background:#ffe6e6;">';
const INS = '<ins style="background:#e6ffe6;">';
const ADDED: Change = { text: 'new', diff_html: `${DEL}plain</del>${INS}new</ins>` };
const UNCHANGED: Change = { text: 'plain', diff_html: '<span>plain</span>' };
const MISSHAPEN: Change = { text: 'new', diff_html: `${INS}new</ins>${DEL}plain</del>` };
const OTHER_TEXT: Change = { text: 'new', diff_html: `${DEL}plain</del>${INS}nwe</ins>` };
const OTHER_PREVIOUS: Change = { text: 'new', diff_html: `${DEL}plan</del>${INS}new</ins>` };

const [FEED, ACCOUNTS] = ['rest/data/index.json', 'rest/account/index.json'];

/** Differences that break a rule. `changes.test.ts` has many more. */
export const DIFF_DAMAGES: readonly Damage[] = sealed([
  difference('diff-form', GENERATED_ID, MISSHAPEN),
  difference('diff-text', GENERATED_ID, OTHER_TEXT),
  difference('diff-previous', GENERATED_ID + 1, OTHER_PREVIOUS, UNCHANGED),
  difference('imported-diff-form', IMPORTED_ID, MISSHAPEN),
  difference('imported-diff-text', IMPORTED_ID, OTHER_TEXT),
  // its predecessor was imported, and can be replaced by another import
  difference('imported-diff-previous', GENERATED_ID, OTHER_PREVIOUS),
]);

/** @param before a change that precedes the wrong one */
function difference(rule: Rule, id: number, change: Change, before?: Change): Damage {
  return damaged(`the diff_html of record ${id} is wrong (${rule})`, [rule, ACCOUNTS, `record ${id}`], (tree) => {
    if (before !== undefined) addChange(tree, before);
    addChange(tree, change, { id });
  });
}

/** Damages of generated records that are notes if the records are imported. */
export const GENERATED_DAMAGES: readonly Damage[] = sealed([
  damaged(
    'a generated record has an earlier date than the generated record that follows in the feed',
    ['record-date', FEED, `record ${GENERATED_ID}`, HALF_A_SECOND_BEFORE],
    (tree) => {
      addChange(tree, UNCHANGED);
      addChange(tree, ADDED, { id: GENERATED_ID + 1, first_encountered_date: HALF_A_SECOND_BEFORE });
    },
  ),
  damaged('a generated record has a script in its diff_html', ['record-markup', FEED, `record ${GENERATED_ID}`, 'script'], (tree) =>
    addChange(tree, { ...ADDED, diff_html: '<script>alert(1)</script>' }),
  ),
  // 22: another field; 16: another account; the last: a later record, which does not exist
  ...[22, 16, GENERATED_ID + 5].map((previous) =>
    damaged(
      `a generated record has the previous ${previous}`,
      ['record-previous', ACCOUNTS, `record ${GENERATED_ID}`, String(previous)],
      (tree) => addChange(tree, ADDED, { previous }),
    ),
  ),
]);

/** Adds a change, as a generated record unless `fields` has another id. */
export function addChange(tree: DamagedTree, { text, diff_html }: Change = ADDED, fields: Partial<ChangeRecord> = {}): void {
  const { data } = one(tree.accounts(), (account) => account.screen_name === 'ada');
  const previous = data.find((record) => record['data_type'] === 'Bio')?.id ?? null;
  const made = { id: GENERATED_ID, account: 'ada', data_type: 'Bio', previous, text, first_encountered_date: DATE, diff_html };
  const record = { ...made, web_archive_url: null, ...fields };
  tree.editFeed((records) => [record, ...records]);
  tree.editAccount('ada', (account) => {
    account.data.unshift(record);
    account['data_page_count'] = Math.ceil(account.data.length / 7);
  });
}
