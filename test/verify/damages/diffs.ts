import type { DataType } from '../../../src/contract/record.ts';
import type { Rule } from '../../../src/verify/violation.ts';
import { type DamagedTree, one } from '../damaged-tree.ts';
import type { Damage } from './damage.ts';

/** One more change, newer than all others. */
export interface Change {
  readonly name: string;
  readonly account: 'ada' | 'Bob_2' | 'çelik' | 'dee' | 'eli';
  readonly data_type: DataType;
  readonly text: string | null;
  readonly diff_html: string;
}

const DATE = '2016-02-29T00:30:00.000000Z';
/** The moment of that date in microseconds: the id that palimpsest gives, and one that somebody else might. */
const [OWN_ID, OTHER_ID] = [1_456_705_800_000_000, 500];

const DEL = '<del style="background:#ffe6e6;">';
const INS = '<ins style="background:#e6ffe6;">';
const FAMILY = '👩‍👩‍👧‍👦';

/** What the tree has: ada's Bio is "plain", and so is çelik's Location; eli's Website is a family, dee's is removed; dee has no Name. */
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

export const OWN_CHANGES: readonly Change[] = [
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
  eli('a website that got a scheme', `https://${FAMILY}`, `${INS}https://</ins><span>${FAMILY}</span>`),
  dees(
    'a website where none was',
    'https://x.example',
    `\n<del></del><br /><ins><a href='https://x.example'>https://x.example</a></ins>\n`,
  ),
];

/** What is wrong in form alone: both texts are shown. */
const MISSHAPEN: readonly Change[] = [
  ada('added before removed', 'new', `${INS}new</ins>${DEL}plain</del>`),
  ada('two elements of a kind side by side', 'new', `${DEL}pl</del>${DEL}ain</del>${INS}new</ins>`),
  ada('an empty element', 'new', `<span></span>${DEL}plain</del>${INS}new</ins>`),
  ada('an element in an element', 'new', `${DEL}<span>plain</span></del>${INS}new</ins>`),
  ada('the elements of the other form', 'new', '<del>plain</del><ins>new</ins>'),
  ada('a break of the other form', 'a\nb', `${DEL}plain</del>${INS}a<br />b</ins>`),
  ada('a break in no element', 'plain', '<span>plain</span><br>'),
  ada('a bracket that is not escaped', '>', `${DEL}plain</del>${INS}></ins>`),
  ada('an ampersand that is not escaped', '&', `${DEL}plain</del>${INS}&</ins>`),
  ada('an entity that not all know', '¶', `${DEL}plain</del>${INS}&para;</ins>`),
  ada('a link in single quotes', '@x', `${DEL}plain</del>${INS}<a href='https://twitter.com/x'>@x</a></ins>`),
  ada('a link around an element', 'plain', '<a href="https://twitter.com/x"><span>plain</span></a>'),
  ada('a break in a link', '@x\n', `${DEL}plain</del>${INS}<a href="https://twitter.com/x">@x<br></a></ins>`),
  ada('half a character', '\ud83d', `${DEL}plain</del>${INS}\ud83d</ins>`),
  dee('a first record with an empty element', 'dee', `<span></span>${INS}dee</ins>`),
  badge('a letter of a badge kept', 'false', `${DEL}tru</del>${INS}fals</ins><span>e</span>`),
  çelik('no white space around', 'x', '<del>plain</del><br /><ins>x</ins>'),
  çelik('other white space around', 'x', ' <del>plain</del><br /><ins>x</ins> '),
  çelik('a place with the markup of bios', 'x', `${DEL}plain</del>${INS}x</ins>`),
  çelik('a place without a break', 'x', '\n<del>plain</del><ins>x</ins>\n'),
  eli('a link that says another address', 'x.example', `\n<del>${FAMILY}</del><br /><ins><a href='http://y.example'>x.example</a></ins>\n`),
  eli('a link to a part', 'x.example/y', `\n<del>${FAMILY}</del><br /><ins><a href='http://x.example'>x.example</a>/y</ins>\n`),
  eli('a website in double quotes', 'x.example', `\n<del>${FAMILY}</del><br /><ins><a href="http://x.example">x.example</a></ins>\n`),
  eli('a scheme that was got, shown as another website', `http://${FAMILY}`, `\n<del>${FAMILY}</del><br /><ins>http://${FAMILY}</ins>\n`),
  eli('a scheme in two elements', `http://${FAMILY}`, `${INS}http:</ins>${INS}//</ins><span>${FAMILY}</span>`),
];

/** What is kept of nothing is wrong in form, and is no text that came before. */
const KEPT_OF_NOTHING: readonly Change[] = [
  dee('a first record with something kept', 'dee', '<span>dee</span>'),
  dees('a scheme where no website was', 'http://x.example', `${INS}http://</ins><span>x.example</span>`),
];

const WRONG_TEXT: readonly Change[] = [
  ada('another text', 'new', `${DEL}plain</del>${INS}nwe</ins>`),
  ada('a line break too many', 'a b', `${DEL}plain</del>${INS}a<br>b</ins>`),
  ada('what was escaped twice', '&', `${DEL}plain</del>${INS}&amp;amp;</ins>`),
  eli('an address that is not removed', null, `\n<del>${FAMILY}</del><br /><ins>x</ins>\n`),
];

const WRONG_PREDECESSOR: readonly Change[] = [
  ada('another text before', 'new', `${DEL}plan</del>${INS}new</ins>`),
  ada('nothing before', 'new', `${INS}new</ins>`),
  çelik('another place before', 'x', '\n<del></del><br /><ins>x</ins>\n'),
];

export const DIFF_DAMAGES: readonly Damage[] = [
  ...damages(OWN_ID, 'diff-form', MISSHAPEN),
  ...damages(OWN_ID, 'diff-text', WRONG_TEXT),
  ...damages(OWN_ID, 'diff-previous', WRONG_PREDECESSOR),
  ...damages(OWN_ID, 'diff-form', KEPT_OF_NOTHING, ['diff-previous']),
  ...damages(OTHER_ID, 'imported-diff-form', MISSHAPEN),
  ...damages(OTHER_ID, 'imported-diff-form', KEPT_OF_NOTHING, ['imported-diff-previous']),
  ...damages(OTHER_ID, 'imported-diff-text', WRONG_TEXT),
  ...damages(OTHER_ID, 'imported-diff-previous', WRONG_PREDECESSOR),
];

function damages(id: number, expects: Rule, changes: readonly Change[], also: readonly Rule[] = []): Damage[] {
  return changes.map((change) => ({
    name: `${expects}: ${change.name}`,
    damage: (tree) => add(tree, id, change),
    expects,
    also,
    path: ['dee', 'eli'].includes(change.account) ? 'rest/account/page/2/index.json' : 'rest/account/index.json',
    subject: `record ${id}`,
    deep: true,
  }));
}

/** Adds a change that palimpsest made. */
export function addOwn(tree: DamagedTree, change: Change): void {
  add(tree, OWN_ID, change);
}

function add(tree: DamagedTree, id: number, change: Change): void {
  const { data } = one(tree.accounts(), (account) => account.screen_name === change.account);
  const previous = data.find((record) => record['data_type'] === change.data_type)?.id ?? null;
  const { account, data_type, text, diff_html } = change;
  const record = { id, account, data_type, previous, text, first_encountered_date: DATE, diff_html, web_archive_url: null };
  tree.editFeed((records) => [record, ...records]);
  tree.editAccount(change.account, (account) => {
    account.data.unshift(record);
    account['data_page_count'] = Math.ceil(account.data.length / 7);
  });
}
