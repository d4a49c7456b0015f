import { isLoopback } from '../../contract/base-url.ts';
import { lackSentence } from '../../contract/files/incomplete-mirror.ts';
import { encodeJson } from '../../contract/json.ts';
import type { Site } from '../../contract/site.ts';
import type { About } from '../../contract/site-json.ts';
import { dateMarkup, fullDate } from '../dates.ts';
import type { NewestCounts } from '../filter/field-files.ts';
import { byteText, escapeText, joined, type Markup, markup, numberMarkup, type RecordCounts, trusted } from '../markup.ts';
import { type Month, newestRenames } from '../months/months.ts';
import { type Page, pageOf, ROOT_1 } from '../page-frame.ts';
import { accountsPage, CHANGED_ACCOUNTS, NEWEST_CHANGES } from '../paths.ts';
import { contactLink, DEFAULT_TITLE, siteText, sourceLink } from './publisher.ts';
import { completeness } from './snapshot-coverage.ts';

/** The state of the store that a site shows. */
export interface ShownState extends RecordCounts {
  readonly accounts: number;
  /** SHA-256 of the contents of the store, as hexadecimal digits. */
  readonly fingerprint: string;
  /** The days with records, newest first. */
  readonly days: readonly string[];
  /** The path of the newest list of renames; undefined if there are none. */
  readonly newestRenames: Markup | undefined;
  /** The newest days with a change, with a first value, and with either. Ids of records need not follow their times. */
  readonly newestChange: string | undefined;
  readonly newestFirstValue: string | undefined;
  readonly newestRecord: string | undefined;
}

/** @param months newest first */
export function shownState(
  { accounts, fingerprint }: Pick<ShownState, 'accounts' | 'fingerprint'>,
  months: readonly Month[],
  renames: number,
): ShownState {
  const sum = (counted: keyof RecordCounts) => months.reduce((all, month) => all + month[counted], 0);
  const days = months.flatMap((month) => month.days);
  return {
    ...{ accounts, fingerprint },
    changes: sum('changes'),
    renames,
    first_values: sum('first_values'),
    days: days.map(({ date }) => date),
    newestRenames: newestRenames(months),
    newestChange: days.find(({ changes }) => changes > 0)?.date,
    newestFirstValue: days.find(({ first_values }) => first_values > 0)?.date,
    newestRecord: days.find(({ changes: all, first_values }) => all + first_values > 0)?.date,
  };
}

/** Returns the page that says what the history is, where it comes from and who publishes it. It shows no build time. */
export function aboutPage(site: Site, state: ShownState): Page {
  const { about, base_url, incomplete, snapshot_days = [], palimpsest } = site;
  const { accounts, changes, renames, first_values, days, newestRecord, fingerprint } = state;
  const firstDay = days.at(-1);
  const rows: (Markup | '')[] = [];
  const add = (term: Markup, definition: Markup | undefined) => {
    if (definition !== undefined) rows.push(markup`<div><dt>${term}<dd>${definition}</div>\n`);
  };
  if (about !== undefined) {
    const { publisher, contact, source, license, license_url } = about;
    add(markup`Publisher`, siteText(about, publisher));
    add(markup`Contact`, contact === undefined ? undefined : contactLink(contact));
    add(markup`Source`, source === undefined ? undefined : sourceLink(about, source));
    add(markup`License`, license === undefined ? undefined : siteText(about, license, license_url));
  }
  add(markup`Accounts`, markup`<a href="${ROOT_1}${accountsPage()}">${numberMarkup(accounts)}</a>`);
  add(markup`Changes`, markup`<a href="${ROOT_1}${NEWEST_CHANGES}">${numberMarkup(changes)}</a>`);
  add(markup`Renames`, state.newestRenames && markup`<a href="${ROOT_1}${state.newestRenames}">${numberMarkup(renames)}</a>`);
  add(markup`First values`, numberMarkup(first_values));
  add(markup`First seen`, firstDay === undefined ? undefined : dateMarkup(firstDay));
  add(markup`Newest record`, newestRecord === undefined ? undefined : dateMarkup(newestRecord));
  add(markup`Fingerprint`, markup`<code>${trusted(fingerprint)}</code>`);
  add(markup`Program`, palimpsest === undefined ? undefined : markup`palimpsest ${escapeText(byteText(palimpsest))}`);
  const address = isLoopback(base_url) ? markup`ADDRESS` : escapeText(byteText(base_url));
  const description = about?.description === undefined ? '' : markup`<p class=lead>${siteText(about, about.description)}</p>\n`;
  return pageOf(
    { title: 'About this history', root: ROOT_1, section: 'about' },
    markup`<h1>About this history</h1>
${description}<dl>
${joined(rows)}</dl>
<h2 id=complete>How complete the history is</h2>
${completeness(snapshot_days, days)}<h2>What the records are</h2>
<p>A source showed public profiles many times. A change is a new value of a field: name, bio, location, website or verification.</p>
<p>A first value is what the source showed first. It is not a change, and is counted separately.</p>
<p>A change or a first value has a link named Snapshot if the source gave the address of an archived copy of the profile.</p>
<p>A rename is a new handle of the same account, as the source identifies it. Its time is when the former handle was last seen. The rename happened later.</p>
<h2>What the records are not</h2>
<p>They do not say when somebody changed a profile. The time of a record is when the source first showed the value. For some changes, the page of the account also shows the two snapshots between which they happened.</p>
<p>They do not say who changed it, or why. A value that no snapshot shows is missing.</p>
<p>Between two snapshots, nothing is known. The first snapshot after a long time can show many changes at once.</p>
<p>An account that is gone can look like one that did not change.</p>
<p>If the snapshots of the newest 10 days lack an account that earlier ones had, its page says on which day it was last known. That does not mean that it is gone.${snapshot_days.length === 0 ? '' : LATELY}</p>
<p>What a profile says can be untrue.</p>
${lacks(incomplete)}<h2 id=removal>Corrections and removal</h2>
<p>${whomToAsk(about)}</p>
<p>The records are what the source showed, even if that was untrue. A record that differs from what the source showed can be replaced. A removal removes a whole account, not single texts.</p>
<p>An account can be removed from the pages, the data and the search. Later data does not bring it back. Name each account. A removal does not change other accounts, even if their texts mention the removed one. It does not change copies that others made.</p>
<h2 id=cite>How to cite it</h2>
<p>To cite this history as a whole: ${citationOfAll(site, state)}</p>
<p>Each record and each rename has a permalink on the page of its account: the link named Permalink beside the field, or the link beside Handle. Later records do not change the link. After a rename, the page at the old address leads to the account, or is that of another account that took the handle.</p>
<p>To cite one record by hand: ${citation(site, state, 'FIELD of @HANDLE, as first seen on TIME', 'LINK')} Replace FIELD with the name of the field, HANDLE with the handle at that time, and LINK with the permalink. Replace TIME with the time on the page of the account. If it shows two times, use the later one.</p>
<h2 id=api>How to find an account in the API</h2>
<p>The JSON API sorts accounts by the id of their first record. An account moves to another page when accounts before it come or go.</p>
<p>Follow <code>next</code> from <a href="${ROOT_1}rest/account/">accounts</a> to the entry with its <code>screen_name</code>. The HTML page of an account keeps its address until a rename.</p>
<p>In the JSON of a record, <code>account</code> is the present handle, also if the record is older than the rename.</p>
<h2>How to verify it</h2>
<p>These pages were made by palimpsest, a program for the command line. It is free software.</p>
<p>The fingerprint identifies this state of the data. Two stores of one palimpsest version with the same data have the same one. The pages show the same records as the <a href="${ROOT_1}rest/data/">JSON data</a>.</p>
<p>The publisher has the file manifest-sha256.txt with the SHA-256 of each file. Many sites do not serve it. With it and a copy of all files, <code>palimpsest verify --out FOLDER</code> checks them.</p>
<p>Without these files, <code>palimpsest mirror ${address}</code> reads the JSON data into a store, and <code>palimpsest build --base-url ${address}</code> makes JSON pages from the store. If the page sizes are the same and nothing changed meanwhile, they are equal to those of this site. The fingerprint of this store can differ, because the JSON lacks the ids and the former handles of accounts.</p>
<p>These checks show that the files belong together and did not change. They do not show that a source had these profiles: for that, see the links named Snapshot, or ask the publisher.</p>
`,
  );
}

/** Returns a citation of all records as text. */
function citationOfAll(site: Site, state: ShownState): Markup {
  const date = state.newestRecord && `Newest record first seen on ${fullDate(state.newestRecord)}`;
  return citation(site, state, undefined, isLoopback(site.base_url) ? undefined : site.base_url, date);
}

/** Returns a citation as text, in the order of those of the script. What is not known is left out. @param what the part of the history that is cited */
function citation(
  { about }: Site,
  { fingerprint }: ShownState,
  what: string | undefined,
  ...details: readonly (string | undefined)[]
): Markup {
  const { publisher, title = DEFAULT_TITLE } = about ?? {};
  const parts = [publisher, what, title, ...details, `Fingerprint of the data ${fingerprint}`];
  return escapeText(byteText(`${parts.filter((part) => part !== undefined).join('. ')}.`));
}

/** Returns to whom a reader writes for a correction or a removal. */
function whomToAsk(about: About | undefined): Markup {
  if (about === undefined) return markup`This site does not say who publishes it, or whom to ask for a correction or a removal.`;
  const { publisher, contact } = about;
  return markup`To have an account corrected or removed, write to ${contact === undefined ? siteText(about, publisher) : contactLink(contact)}.`;
}

/** What the script says about the records: the newest counts by field, and the months that have a page. */
interface ScriptState extends Pick<ShownState, 'fingerprint'> {
  readonly fields: NewestCounts | undefined;
  readonly months: readonly string[];
}

const LATELY = markup` <a href="${ROOT_1}${CHANGED_ACCOUNTS}#lately">Accounts not seen lately</a>`;

/** Returns the script with what changes with each record, so that not all pages have it: what citations say about the site, and what filters need. */
export function siteScript({ about, base_url, snapshot_days }: Site, state: ScriptState): string {
  const { title = DEFAULT_TITLE, publisher } = about ?? {};
  const site = { title, publisher, base_url: isLoopback(base_url) ? '' : base_url, snapshot_days };
  return `palimpsestSite = ${encodeJson({ ...site, ...state })};\n`;
}

/** Returns what mirrors lack of their services. */
function lacks(incomplete: Site['incomplete']): Markup | '' {
  const sentences = (incomplete ?? []).map((lack) => markup`<li>${escapeText(byteText(lackSentence(lack)))}\n`);
  return sentences.length === 0 ? '' : markup`<h2>What is missing</h2>\n<ul>\n${joined(sentences)}</ul>\n`;
}
