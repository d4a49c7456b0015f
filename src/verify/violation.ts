/**
 * Every rule that a tree is held to. `note`: worth a look, but history that was imported may be so and
 * the tree still be right.
 */
export const RULES = {
  'build-record': 'build.json says that the build is finished and what it was built from, and its numbers fit together',
  'manifest-digest': 'the manifest is the one that build.json names',
  'manifest-line': 'the manifest lists each file of the layout once, and nothing else',
  'file-missing': 'every file of the layout is there',
  'file-digest': 'every file has the bytes that the manifest lists',
  'duplicate-mismatch': 'the files that hold the same page have the same bytes',
  'unexpected-file': 'no file is there that the layout does not have',
  'page-json': 'every page is JSON in UTF-8',
  'page-envelope': 'every page has the envelope of the interface, and nothing else',
  'page-count': 'count is the same on all pages, and that of the collection',
  'page-next': 'next leads to the next page, and from the last one nowhere',
  'page-previous': 'previous leads to the previous page, and from the first one nowhere',
  'page-items': 'every page but the last is full, and the last is not empty unless all are',
  'page-bytes': 'a page is written as DRF writes it: field order, separators, escapes',
  'record-field': 'every field of a record keeps its rule',
  'record-order': 'the feed falls by id; no record comes twice',
  'record-date': 'the feed falls by first_encountered_date',
  'record-markup': 'diff_html holds the known tags only, each closed, and no link but to http and https',
  'record-previous': 'previous is the next older record of the same account and data_type',
  'record-predecessor': 'the record that previous names is part of this tree (note)',
  'diff-form': 'diff_html of a record that palimpsest made has the form of its field, and escapes all that is text',
  'diff-text': 'diff_html of a record that palimpsest made, without what it removes, is the text',
  'diff-previous': 'diff_html of a record that palimpsest made, without what it adds, is the text of the record before',
  'imported-diff-form': 'diff_html of an imported record has the form of its field, and escapes all that is text (note)',
  'imported-diff-text': 'diff_html of an imported record, without what it removes, is the text (note)',
  'imported-diff-previous': 'diff_html of an imported record, without what it adds, is the text of the record before (note)',
  'url-scheme': 'web_archive_url and profile_image_url are http or https URLs without control characters, or empty (note)',
  'account-field': 'every field of an account keeps its rule',
  'account-order': 'accounts stand by their first record, those without records last, by name',
  'account-twice': 'no account comes twice',
  'account-data-order': "an account's records fall by id",
  'account-data-count': 'data_page_count is how many pages the records would fill',
  'account-data-missing': 'every record of the feed stands in its account, once',
  'account-data-surplus': 'every record of an account stands in the feed',
  'account-data-differs': 'a record has the same bytes in the feed and in its account',
  'sort-keys': 'sort-keys.txt says where the records and accounts of the pages stand',
  'store-fingerprint': 'the tree was built from what the store holds',
  'store-missing': 'every record and account of the store is in the tree',
  'store-surplus': 'every record and account of the tree is in the store',
  'store-differs': 'a record or account has the same bytes in the store and in the tree',
} as const;

export type Rule = keyof typeof RULES;

/** A place where a tree breaks a rule. */
export interface Violation {
  readonly rule: Rule;
  /** The file, relative to the tree. */
  readonly path: string;
  /** The record (`record 12`) or account (`account jack`) in it, where it is one's fault. */
  readonly subject?: string | undefined;
  readonly expected: string;
  readonly found: string;
}

/** Rules whose violation does not make a tree wrong. */
export const NOTES: ReadonlySet<Rule> = new Set<Rule>([
  'record-predecessor',
  'url-scheme',
  'imported-diff-form',
  'imported-diff-text',
  'imported-diff-previous',
]);

/** How many violations are kept, and notes of each rule; all are counted. */
const KEPT = 10_000;

/** Collects what is found wrong. */
export class Report {
  readonly violations: Violation[] = [];
  readonly notes: Violation[] = [];
  violationCount = 0;
  noteCount = 0;
  /** How many notes there are of each rule that has some. */
  readonly notesByRule: { [K in Rule]?: number } = {};

  add(violation: Violation): void {
    if (NOTES.has(violation.rule)) this.#note(violation);
    else if (this.violationCount++ < KEPT) this.violations.push(violation);
  }

  #note(note: Violation): void {
    const count = (this.notesByRule[note.rule] ?? 0) + 1;
    this.notesByRule[note.rule] = count;
    this.noteCount += 1;
    if (count <= KEPT) this.notes.push(note);
  }
}
