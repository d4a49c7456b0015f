import type { ChangeRecord, DataType } from '../../../src/contract/record.ts';
import type { Rule } from '../../../src/verify/violation.ts';
import { type DamagedTree, one } from '../damaged-tree.ts';
import type { Damage } from './damage.ts';

/** An additional change, newer than all others. */
export interface Change {
  readonly name: string;
  readonly account: 'ada' | 'Bob_2' | 'çelik' | 'dee' | 'eli';
  readonly data_type: DataType;
  readonly text: string | null;
  readonly diff_html: string;
}

const DATE = '2016-02-29T00:30:00.000000Z';
/** Two ids for that date: a generated one (the date in microseconds), and one that another program might give. */
const [GENERATED_ID, IMPORTED_ID] = [1_456_705_800_000_000, 500];

const DEL = '<del style="background:#ffe6e6;">';
const INS = '<ins style="background:#e6ffe6;">';
const FAMILY = '👩‍👩‍👧‍👦';

/** In the tree, ada's Bio and çelik's Location are "plain"; eli's Website is a family, dee's is removed; dee has no Name. */
const ada = (name: string, text: string, diff_html: string): Change => ({ name, account: 'ada', data_type: 'Bio', text, diff_html });
const çelik = (name: string, text: string, diff_html: string): Change => ({
  name,
  account: 'çelik',
  data_type: 'Location',
  text,
  diff_html,
});
const dee = (name: string, text: string, diff_html: string): Change => ({ name, account: 'dee', data_type: 'Name', text, diff_html });
const eli = (name: string, text: string | null, diff_html: string): Change => ({
  name,
  account: 'eli',
  data_type: 'Website',
  text,
  diff_html,
});
const dees = (name: string, text: string, diff_html: string): Change => ({ name, account: 'dee', data_type: 'Website', text, diff_html });
const badge = (name: string, text: string, diff_html: string): Change => ({
  name,
  account: 'ada',
  data_type: 'Verified',
  text,
  diff_html,
});

export const GENERATED_CHANGES: readonly Change[] = [
  ada('a bio', 'plain & <x>\r\n@y "', `<span>plain</span>${INS} &amp; &lt;x&gt;<br><a href="https://twitter.com/y">@y</a> "</ins>`),
  ada('a bio that was emptied', '', `${DEL}plain</del>`),
  ada('a bio that spells an entity', '&lt;', `${DEL}plain</del>${INS}&amp;lt;</ins>`),
  dee('a first name', 'dee', `${INS}dee</ins>`),
  dee('a first name that is empty', '', ''),
  badge('a badge', 'false', `${DEL}true</del>${INS}false</ins>`),
  çelik('a place', 'a "b" &', '\n<del>plain</del><br /><ins>a "b" &amp;</ins>\n'),
  eli(
    'a website',
    `HTTP://x.example/it's`,
    `\n<del>${FAMILY}</del><br /><ins><a href='http://x.example/it&#39;s'>HTTP://x.example/it's</a></ins>\n`,
  ),
  eli('a website without a scheme', 'x.example', `\n<del>${FAMILY}</del><br /><ins><a href='http://x.example'>x.example</a></ins>\n`),
  eli('a website that was removed', null, `\n<del>${FAMILY}</del><br /><ins></ins>\n`),
  eli('a website to which a scheme was added', `https://${FAMILY}`, `${INS}https://</ins><span>${FAMILY}</span>`),
  dees(
    'a website after an empty one',
    'https://x.example',
    `\n<del></del><br /><ins><a href='https://x.example'>https://x.example</a></ins>\n`,
  ),
];

/** Differences with a wrong form but the right texts. */
const MISSHAPEN: readonly Change[] = [
  ada('an ins before a del', 'new', `${INS}new</ins>${DEL}plain</del>`),
  ada('two elements of a kind side by side', 'new', `${DEL}pl</del>${DEL}ain</del>${INS}new</ins>`),
  ada('an empty element', 'new', `<span></span>${DEL}plain</del>${INS}new</ins>`),
  ada('an element in an element', 'new', `${DEL}<span>plain</span></del>${INS}new</ins>`),
  ada('the elements of the other form', 'new', '<del>plain</del><ins>new</ins>'),
  ada('a break of the other form', 'a\nb', `${DEL}plain</del>${INS}a<br />b</ins>`),
  ada('a break outside of an element', 'plain', '<span>plain</span><br>'),
  ada('a bracket that is not escaped', '>', `${DEL}plain</del>${INS}></ins>`),
  ada('an ampersand that is not escaped', '&', `${DEL}plain</del>${INS}&</ins>`),
  ada('an uncommon entity', '¶', `${DEL}plain</del>${INS}&para;</ins>`),
  ada('a link in single quotes', '@x', `${DEL}plain</del>${INS}<a href='https://twitter.com/x'>@x</a></ins>`),
  ada('a link around an element', 'plain', '<a href="https://twitter.com/x"><span>plain</span></a>'),
  ada('a break in a link', '@x\n', `${DEL}plain</del>${INS}<a href="https://twitter.com/x">@x<br></a></ins>`),
  ada('a lone surrogate', '\ud83d', `${DEL}plain</del>${INS}\ud83d</ins>`),
  dee('a first record with an empty element', 'dee', `<span></span>${INS}dee</ins>`),
  badge('a kept letter of a badge', 'false', `${DEL}tru</del>${INS}fals</ins><span>e</span>`),
  çelik('no white space around', 'x', '<del>plain</del><br /><ins>x</ins>'),
  çelik('other white space around', 'x', ' <del>plain</del><br /><ins>x</ins> '),
  çelik('a place with the markup of bios', 'x', `${DEL}plain</del>${INS}x</ins>`),
  çelik('a place without a break', 'x', '\n<del>plain</del><ins>x</ins>\n'),
  eli(
    'a link to another address than its text',
    'x.example',
    `\n<del>${FAMILY}</del><br /><ins><a href='http://y.example'>x.example</a></ins>\n`,
  ),
  eli(
    'a link around a part of the value',
    'x.example/y',
    `\n<del>${FAMILY}</del><br /><ins><a href='http://x.example'>x.example</a>/y</ins>\n`,
  ),
  eli('a website in double quotes', 'x.example', `\n<del>${FAMILY}</del><br /><ins><a href="http://x.example">x.example</a></ins>\n`),
  eli('a scheme in two elements', `http://${FAMILY}`, `${INS}http:</ins>${INS}//</ins><span>${FAMILY}</span>`),
];

/** A kept text without a previous text breaks the form, and differs from the previous text. */
const KEPT_OF_NOTHING: readonly Change[] = [dee('a kept text in a first record', 'dee', '<span>dee</span>')];
const KEPT_OF_EMPTY: readonly Change[] = [
  dees('an added scheme without a previous website', 'http://x.example', `${INS}http://</ins><span>x.example</span>`),
];

const WRONG_TEXT: readonly Change[] = [
  ada('another text', 'new', `${DEL}plain</del>${INS}nwe</ins>`),
  ada('an additional line break', 'a b', `${DEL}plain</del>${INS}a<br>b</ins>`),
  ada('a character that was escaped twice', '&', `${DEL}plain</del>${INS}&amp;amp;</ins>`),
  eli('an address that is not removed', null, `\n<del>${FAMILY}</del><br /><ins>x</ins>\n`),
];

/** Differences with a form that is wrong only because of the predecessor. */
const MISFORMED_AFTER: readonly Change[] = [
  eli('an added scheme in the form of another website', `http://${FAMILY}`, `\n<del>${FAMILY}</del><br /><ins>http://${FAMILY}</ins>\n`),
];

/** Changes to the same value, as `observe` makes none: generated predecessors with the texts that the imported ones have. */
const UNCHANGED: readonly Change[] = [
  ada('', 'plain', '<span>plain</span>'),
  çelik('', 'plain', '\n<del>plain</del><br /><ins>plain</ins>\n'),
  eli('', FAMILY, `\n<del>${FAMILY}</del><br /><ins>${FAMILY}</ins>\n`),
];

const WRONG_PREDECESSOR: readonly Change[] = [
  ada('another previous text', 'new', `${DEL}plan</del>${INS}new</ins>`),
  ada('no previous text', 'new', `${INS}new</ins>`),
  çelik('another previous place', 'x', '\n<del></del><br /><ins>x</ins>\n'),
];

export const DIFF_DAMAGES: readonly Damage[] = [
  ...damages(GENERATED_ID, 'diff-form', MISSHAPEN),
  ...damages(GENERATED_ID, 'diff-text', WRONG_TEXT),
  ...damages(GENERATED_ID, 'diff-form', KEPT_OF_NOTHING, ['diff-previous']),
  ...damages(GENERATED_ID + 1, 'diff-form', MISFORMED_AFTER),
  ...damages(GENERATED_ID + 1, 'diff-previous', WRONG_PREDECESSOR),
  // their predecessors were imported, and can be replaced by another import
  ...damages(GENERATED_ID, 'imported-diff-form', MISFORMED_AFTER),
  ...damages(GENERATED_ID, 'imported-diff-form', KEPT_OF_EMPTY, ['imported-diff-previous']),
  ...damages(GENERATED_ID, 'imported-diff-previous', WRONG_PREDECESSOR),
  ...damages(IMPORTED_ID, 'imported-diff-form', [...MISSHAPEN, ...MISFORMED_AFTER]),
  ...damages(IMPORTED_ID, 'imported-diff-form', [...KEPT_OF_NOTHING, ...KEPT_OF_EMPTY], ['imported-diff-previous']),
  ...damages(IMPORTED_ID, 'imported-diff-text', WRONG_TEXT),
  ...damages(IMPORTED_ID, 'imported-diff-previous', WRONG_PREDECESSOR),
];

function damages(id: number, expects: Rule, changes: readonly Change[], also: readonly Rule[] = []): Damage[] {
  return changes.map((change) => ({
    name: `a diff_html of record ${id} has ${change.name} (${expects})`,
    damage: (tree) => {
      const before = UNCHANGED.find(({ account, data_type }) => account === change.account && data_type === change.data_type);
      if (id > GENERATED_ID && before !== undefined) addGenerated(tree, before);
      add(tree, change, { id });
    },
    expects,
    also,
    path: ['dee', 'eli'].includes(change.account) ? 'rest/account/page/2/index.json' : 'rest/account/index.json',
    subject: `record ${id}`,
    deep: true,
  }));
}

const ADDED = ada('', 'new', `${DEL}plain</del>${INS}new</ins>`);
const HALF_A_SECOND_BEFORE = '2016-02-29T00:29:59.500000Z';

/** Damages of generated records that are notes if the records are imported. */
export const GENERATED_DAMAGES: readonly Damage[] = [
  {
    name: 'a generated record has an earlier date than the generated record that follows in the feed',
    damage: (tree) => {
      addGenerated(tree, dee('', 'dee', `${INS}dee</ins>`));
      add(tree, ADDED, { id: GENERATED_ID + 1, first_encountered_date: HALF_A_SECOND_BEFORE });
    },
    expects: 'record-date',
    path: 'rest/data/index.json',
    subject: `record ${GENERATED_ID}`,
    mentions: HALF_A_SECOND_BEFORE,
    deep: true,
  },
  {
    name: 'a generated record has a script in its diff_html',
    damage: (tree) => addGenerated(tree, { ...ADDED, diff_html: '<script>alert(1)</script>' }),
    expects: 'record-markup',
    path: 'rest/data/index.json',
    subject: `record ${GENERATED_ID}`,
    mentions: 'script',
    deep: true,
  },
  // 22: another field; 16: another account; the last: a later record, which does not exist
  ...[22, 16, GENERATED_ID + 5].map(
    (previous): Damage => ({
      name: `a generated record has the previous ${previous}`,
      damage: (tree) => add(tree, ADDED, { previous }),
      expects: 'record-previous',
      path: 'rest/account/index.json',
      subject: `record ${GENERATED_ID}`,
      mentions: String(previous),
      deep: true,
    }),
  ),
];

/** Adds a generated change. */
export function addGenerated(tree: DamagedTree, change: Change): void {
  add(tree, change, {});
}

/** Adds a change with the id of a generated record, or with other fields. */
function add(tree: DamagedTree, change: Change, fields: Partial<ChangeRecord>): void {
  const { data } = one(tree.accounts(), (account) => account.screen_name === change.account);
  const previous = data.find((record) => record['data_type'] === change.data_type)?.id ?? null;
  const { account, data_type, text, diff_html } = change;
  const made = { id: GENERATED_ID, account, data_type, previous, text, first_encountered_date: DATE, diff_html, web_archive_url: null };
  const record = { ...made, ...fields };
  tree.editFeed((records) => [record, ...records]);
  tree.editAccount(change.account, (account) => {
    account.data.unshift(record);
    account['data_page_count'] = Math.ceil(account.data.length / 7);
  });
}
