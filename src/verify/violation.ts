/** Every rule that `verify` checks. A rule with `(note)` is reported, but imported history may break it in a correct tree. */
export const RULES = {
  'build-record': 'build.json describes a finished build and the input of the build, and the numbers in build.json are consistent',
  'manifest-digest': 'the manifest has the SHA-256 that build.json lists',
  'manifest-line': 'the manifest lists each file that the tree must have exactly once, in the order of a build, and nothing else',
  'file-missing': 'every file that the tree must have exists',
  'file-digest': 'every file has the SHA-256 that the manifest lists',
  'duplicate-mismatch': 'files that hold the same page have the same bytes',
  'unexpected-file': 'the tree has no other files',
  'zip-index': 'the index and the central directory of a ZIP have the same members, which lie one after another',
  'page-json': 'every page is JSON in UTF-8',
  'page-envelope': 'every page has the fields count, next, previous and results, and no other field',
  'page-count': 'count is the same on all pages, and is the number of items in the collection',
  'page-next': 'next links to the next page; on the last page it is null',
  'page-previous': 'previous links to the previous page; on the first page it is null',
  'page-items': 'every page except the last is full; the last page is empty only if the collection is empty',
  'page-bytes': 'a page has the bytes that DRF writes: field order, separators, escapes',
  'record-field': 'every field of a record has a valid value',
  'record-order': 'the feed is sorted by id, highest first, and has no record twice',
  'record-date': 'the generated records of the feed are sorted by first_encountered_date, newest first',
  'record-markup': 'diff_html of a generated record has only known tags, each tag is closed, and every link is an http or https URL',
  'record-previous': 'previous of a generated record is null or names an older record of the same account and data_type',
  'record-predecessor': 'previous names the next older record of the same account and data_type, which is in this tree (note)',
  'imported-record-date': 'an imported record has its place in the feed by first_encountered_date (note)',
  'imported-record-markup':
    'diff_html of an imported record has only known tags, each tag is closed, and every link is an http or https URL (note)',
  'imported-record-previous': 'previous of an imported record is null or names an older record of the same account and data_type (note)',
  'diff-form': 'diff_html of a generated record has the form of its field, and all text in it is escaped',
  'diff-text': 'diff_html of a generated record, without the deleted parts, is the text',
  'diff-previous': 'diff_html of a generated record, without the inserted parts, is the text of the generated record before',
  'imported-diff-form':
    'diff_html of an imported record, or of one after it, has the form of its field, and all text in it is escaped (note)',
  'imported-diff-text': 'diff_html of an imported record, without the deleted parts, is the text (note)',
  'imported-diff-previous':
    'diff_html of an imported record, or of one after it, without the inserted parts, is the text of the record before (note)',
  'url-scheme': 'web_archive_url and profile_image_url are empty, or http or https URLs without control characters (note)',
  'account-field': 'every field of an account has a valid value',
  'account-order': 'accounts are sorted by their first record; accounts without records come last, sorted by name',
  'account-twice': 'no account is listed twice',
  'account-data-order': "an account's records are sorted by id, highest first",
  'account-data-count': "data_page_count is the number of the account's records, divided by the page size of the feed and rounded up",
  'account-data-missing': 'every record of the feed is in its account exactly once',
  'account-data-surplus': 'every record of an account is in the feed',
  'account-data-differs': 'a record has the same bytes in the feed and in its account',
  'commit-chain': 'the commits of a target with versions have ascending numbers, and each has the SHA-256 of the one before',
  'commit-lost': 'every commit before the newest one can be read (note)',
  'head-copy': 'head.json is a copy of the newest commit',
  'version-facts':
    'a commit lists each version with the counts, the digests and the index of its ZIP, and with the base URL of the current one',
  'sort-keys': 'sort-keys.txt lists the sort keys of the records and accounts on the pages',
  'store-fingerprint': 'the tree was built from the current content of the store',
  'store-differs': 'every page has the bytes that a build renders from the store',
  'browse-differs': 'a file of the HTML pages has the bytes that this release renders from the store',
  'browse-missing': 'every file of the HTML pages of the store is in the tree',
  'browse-surplus': 'every file of the HTML pages in the tree is one of the store',
} as const;

export type Rule = keyof typeof RULES;

/** One rule that a tree breaks, and where. */
export interface Violation {
  readonly rule: Rule;
  /** The file, relative to the tree. */
  readonly path: string;
  /** The record (`record 12`) or account (`account jack`) in the file, if the violation concerns one. */
  readonly subject?: string | undefined;
  readonly expected: string;
  readonly found: string;
  /** The file whose damage explains the violation, if it is not the one at `path`. */
  readonly cause?: string | undefined;
}

export interface ReportedViolation extends Violation {
  readonly cause: string;
}

/** A file that explains violations. */
export interface Cause {
  /** The file, relative to the tree. */
  readonly path: string;
  violationCount: number;
  /** The number of violations of each rule that has any. */
  readonly rules: { [K in Rule]?: number };
}

/** Rules about a file as a whole. A file that breaks one may lack items, or have wrong ones. */
const OF_FILES = /^(file|page)-|^duplicate-mismatch$/;

/** Rules that a correct tree may break. */
export const NOTES: ReadonlySet<Rule> = new Set<Rule>([
  'commit-lost',
  'record-predecessor',
  'imported-record-date',
  'imported-record-markup',
  'imported-record-previous',
  'url-scheme',
  'imported-diff-form',
  'imported-diff-text',
  'imported-diff-previous',
]);

/** How many violations and causes are listed, and how many notes of each rule. All violations and notes are counted. */
const LISTED = 10_000;

export type Notes = Pick<Report, 'noteCount' | 'notesByRule'> & { readonly notes: readonly Violation[] };

/** Collects the violations and notes of one verification. */
export class Report {
  readonly violations: ReportedViolation[] = [];
  readonly notes: Violation[] = [];
  violationCount = 0;
  noteCount = 0;
  /** The number of notes of each rule that has any. */
  readonly notesByRule: { [K in Rule]?: number } = {};
  readonly #causes = new Map<string, Cause>();
  readonly #damaged = new Set<string>();

  /** The first files that explain violations, in the order in which they were found. */
  get causes(): readonly Cause[] {
    return [...this.#causes.values()];
  }

  add(violation: Violation): void {
    const { rule, path, cause = path } = violation;
    if (NOTES.has(rule)) {
      this.#note(violation);
      return;
    }
    if (OF_FILES.test(rule) && cause === path && this.#damaged.size < LISTED) this.#damaged.add(path);
    this.#count(cause, rule);
    if (this.violationCount++ < LISTED) this.violations.push({ ...violation, cause });
  }

  /** Whether a file breaks a rule about files or pages. */
  isDamaged(path: string): boolean {
    return this.#damaged.has(path);
  }

  /** Whether a file explains a violation that was reported. */
  isCause(path: string): boolean {
    return this.#causes.has(path);
  }

  addNotes({ notes, noteCount, notesByRule }: Notes): void {
    for (const note of notes) this.#note(note);
    // the other report counts more notes than it lists
    for (const rule of NOTES) {
      const unlisted = (notesByRule[rule] ?? 0) - Math.min(notesByRule[rule] ?? 0, LISTED);
      if (unlisted > 0) this.notesByRule[rule] = (this.notesByRule[rule] ?? 0) + unlisted;
    }
    this.noteCount += noteCount - notes.length;
  }

  /** Adds what a check of a tree found that is in a file. */
  addWithin(file: string, found: Notes & { readonly violations: readonly ReportedViolation[]; readonly violationCount: number }): void {
    const within = (path: string) => `${file}/${path}`;
    for (const one of found.violations) this.add({ ...one, path: within(one.path), cause: within(one.cause) });
    this.violationCount += found.violationCount - found.violations.length;
    this.addNotes({ ...found, notes: found.notes.map((note) => ({ ...note, path: within(note.path) })) });
  }

  #count(path: string, rule: Rule): void {
    const cause = this.#causes.get(path) ?? { path, violationCount: 0, rules: {} };
    cause.violationCount += 1;
    cause.rules[rule] = (cause.rules[rule] ?? 0) + 1;
    if (this.#causes.size < LISTED) this.#causes.set(path, cause);
  }

  #note(note: Violation): void {
    const count = (this.notesByRule[note.rule] ?? 0) + 1;
    this.notesByRule[note.rule] = count;
    this.noteCount += 1;
    if (count <= LISTED) this.notes.push(note);
  }
}
