import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bioRecord } from '../support/bio-record.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

/** A situation in which the program suggests a command, or an option to add to the command that failed. */
export interface Suggestion {
  /** Where the source has it: `FILE: COMMAND`, or `FILE: --OPTION`. */
  readonly site: string;
  readonly prepare?: (home: string) => unknown;
  readonly run: readonly string[];
  readonly input?: string;
  /** The exit code of the command that suggests; 0 if it succeeded. */
  readonly code: number;
  /** What is suggested, as far as the invocation; of several commands in the output, this is the one. */
  readonly suggests: string;
  /** What a person does before, such as to correct a rejects file. */
  readonly correct?: (home: string) => void;
  /** The values of placeholders such as FILE. */
  readonly fill?: Readonly<Record<string, string>>;
  /** The exit code of the suggested command, if it is not 0. */
  readonly ends?: number;
  /** Whether the first command succeeds afterwards. */
  readonly isRepeated?: boolean;
}

export const SITE = 'https://history.example';
export const PAGES = fileURLToPath(new URL('../../data/sample/saved-pages', import.meta.url));
const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const at = (day: number) => `2024-01-${String(day).padStart(2, '0')}T00:00:00Z`;
export const seen = (day: number, screen_name: string, bio: string): object => ({
  observed_at: at(day),
  screen_name,
  id: `id-${screen_name}`,
  bio,
});
export const night = (day: number, names: readonly string[]): string =>
  lines(...names.map((name) => seen(day, name, `${name} on day ${day}`)));
export const NAMES: readonly string[] = Array.from({ length: 20 }, (_, index) => `user_${index + 1}`);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const STORE = 'data/palimpsest.db';

const write = (name: string, content: string | Uint8Array) => (home: string) => {
  mkdirSync(join(home, name, '..'), { recursive: true });
  writeFileSync(join(home, name), content);
};
const remove =
  (...names: readonly string[]) =>
  (home: string) => {
    for (const name of names) rmSync(join(home, name), { recursive: true });
  };
const run =
  (...args: readonly string[]) =>
  (home: string) =>
    palimpsestJson(args, { cwd: home });
const observeNight =
  (day: number, names = NAMES, store = STORE) =>
  (home: string) =>
    palimpsestJson(['observe', '-', '--store', store, '--min-accounts', '0%'], { cwd: home, input: night(day, names) });
const steps =
  (...all: readonly ((home: string) => unknown)[]) =>
  async (home: string) => {
    for (const step of all) await step(home);
  };
const append = (name: string, text: string) => (home: string) =>
  writeFileSync(join(home, name), readFileSync(join(home, name), 'utf8') + text);
const fileIn = (folder: string, ending: string) => join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? '');
const damagePage = (home: string) => {
  const path = join(home, STORE);
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 16_384);
  writeFileSync(path, bytes);
};
const conflicting = (bio: string) =>
  lines({ screen_name: 'carol', account_creation_date: null, profile_image_url: '', display_name: 'c', website: null, location: '', bio });
const conflict = {
  prepare: steps(
    write('c1.ndjson', conflicting('one')),
    run('import', 'c1.ndjson'),
    write('c2.ndjson', conflicting('two') + lines(...[3, 4, 5, 6, 7].map((id) => bioRecord(900_000 + id)))),
  ),
  run: ['import', 'c2.ndjson'],
  code: 1,
};
/** Returns a record as observe makes it, of one of the first seconds of 2024. */
const generated = (account: string, second: number) => {
  const [id, first_encountered_date] = [1_704_067_200_000_000 + second * 1_000_000, `2024-01-01T00:00:0${second}Z`];
  return bioRecord(id, { account, first_encountered_date, previous: second === 0 ? null : id - 1_000_000 });
};
const rejects = lines(bioRecord(900_001), bioRecord(900_002, { text: 7 }));
const edit = (name: string, from: string, to: string) => (home: string) =>
  writeFileSync(join(home, name), readFileSync(join(home, name), 'utf8').replaceAll(from, to));
const corrected = edit('r.ndjson', '"text":7', '"text":"x"');
const badNight = lines(seen(9, 'user_1', 'x'), { ...seen(9, 'user_2', 'x'), bio: 7 });

/** A suggestion after a command line without quotes. */
const shown = (site: string, line: string, code: number, suggests: string, more: Partial<Suggestion> = {}): Suggestion => ({
  ...{ site, run: line.split(' '), code, suggests },
  ...more,
});

const EXCLUSIONS = `export ndjson --to - | grep '^{"excluded_at"'`;
/** The pages at `pub` have a state after the newest one at `backup`. */
const later = steps(observeNight(5, NAMES.slice(0, 3)), run('build'), run('publish', 'pub'));
const pulled = steps(later, run('store', 'pull', 'backup', '--number', '1', '--replace'));
const BACKUP = { BACKUP: 'backup', NUMBER: '1' };

/** Each suggestion with its situation. The home has a store, trees in `out` and `h.zip`, and the targets `pub`, `site` and `backup`. */
export const COMMANDS: readonly Suggestion[] = [
  shown('tree/existing-tree.ts: build', 'publish pub2', 1, 'build', {
    prepare: (home) =>
      writeFileSync(join(home, 'out', 'build.json'), JSON.stringify({ palimpsest: '0.1.0', state: 'unfinished', base_url: SITE })),
    isRepeated: true,
  }),
  shown('tree/existing-tree.ts: build', 'archive bag --to b', 1, 'build', { prepare: remove('out'), isRepeated: true }),
  shown('tree/existing-tree.ts: import', 'verify --out w.wacz', 1, 'import w.wacz --store copy.db --require-complete', {
    prepare: run('archive', 'wacz', '--to', 'w.wacz'),
  }),
  shown('tree/verified-tree.ts: build', 'archive bag --to b', 1, 'build --store FILE --repair', {
    prepare: append('out/rest/data/index.json', ' '),
    fill: { FILE: STORE },
    isRepeated: true,
  }),
  shown('publish/trees/refuse-other-files.ts: publish', 'publish out --out pub', 3, 'publish pub'),
  shown('store/database/open-store.ts: import', 'build', 1, 'import SOURCE', {
    prepare: remove('data', 'out'),
    fill: { SOURCE: PAGES },
    isRepeated: true,
  }),
  shown('store/exclusions/named-exclusions.ts: exclusions', 'exclusions nobody', 1, 'exclusions'),
  shown('commands/verify.ts: publish', 'verify pub', 1, 'publish pub', {
    prepare: edit('pub/publish.json', '"state":"published"', '"state":"publishing"'),
    isRepeated: true,
  }),
  shown('publish/planning/guards.ts: build', 'publish pub', 3, 'build', { prepare: run('remove', 'user_2', '--yes') }),
  shown('store/exclusions/remove.ts: accounts', 'remove zzzzzz --yes', 1, 'accounts'),
  shown('history/find-account.ts: accounts', 'history zzzzzz', 1, 'accounts'),
  shown('history/find-account.ts: accounts', 'history user_', 1, 'accounts @user_'),
  shown('store/database/store-error.ts: store check', 'export ndjson --to e.ndjson', 1, 'store check', { prepare: damagePage, ends: 1 }),
  shown('hosting/find-host.ts: rewrite', 'rewrite qqqqqqqq', 2, 'rewrite'),
  shown('hosting/find-host.ts: build', 'rewrite apache --out site', 3, 'build --out FOLDER', { fill: { FOLDER: 'tree' } }),
  shown('backup/push-failures.ts: store pull', 'store push backup', 3, 'store pull backup', {
    prepare: steps(
      (home) => copyFileSync(join(home, STORE), join(home, 'old.db')),
      observeNight(5),
      run('store', 'push', 'backup'),
      (home) => renameSync(join(home, 'old.db'), join(home, STORE)),
    ),
  }),
  shown('backup/push-failures.ts: store pull', 'store push backup', 3, 'store pull backup --store other.db', {
    prepare: steps(remove('data'), observeNight(3)),
  }),
  shown(
    'backup/push-failures.ts: export ndjson',
    'store push backup',
    3,
    `${EXCLUSIONS} | import - --store other.db --on-conflict replace`,
    {
      prepare: steps(
        (home) => copyFileSync(join(home, STORE), join(home, 'old.db')),
        observeNight(5),
        run('store', 'push', 'backup'),
        (home) => renameSync(join(home, STORE), join(home, 'other.db')),
        (home) => renameSync(join(home, 'old.db'), join(home, STORE)),
        run('remove', 'user_2', '--yes'),
      ),
    },
  ),
  shown('backup/pull.ts: store versions', 'store pull backup --number 9', 1, 'store versions backup'),
  shown('backup/pull.ts: store versions', 'store pull backup --store new.db', 1, 'store versions backup', {
    prepare: (home) => truncateSync(fileIn(join(home, 'backup', 'versions'), '.br'), 100),
  }),
  shown('versions/rollback.ts: versions', 'publish site --rollback 9', 1, 'versions site'),
  shown('versions/rollback.ts: store versions', 'publish pub --rollback', 1, 'store versions BACKUP', { prepare: later, fill: BACKUP }),
  shown('versions/rollback.ts: store pull', 'publish pub --rollback', 1, 'store pull BACKUP --number NUMBER --replace', {
    prepare: later,
    fill: BACKUP,
  }),
  shown('versions/rollback.ts: build', 'publish pub --rollback', 1, 'build --replace-tree', { prepare: pulled }),
  shown('versions/rollback.ts: publish', 'publish pub --rollback', 1, 'publish pub --allow-gaps', {
    prepare: steps(pulled, run('build', '--replace-tree')),
  }),
  shown('tree/verified-tree.ts: build', 'publish site2 --out h.zip', 1, 'build --store FILE --out h.zip --repair', {
    prepare: (home) => {
      const bytes = readFileSync(join(home, 'h.zip'));
      bytes.fill(0x5a, 200, 300);
      writeFileSync(join(home, 'h.zip'), bytes);
    },
    fill: { FILE: STORE },
    isRepeated: true,
  }),
  shown('commands/publish-versions.ts: import', 'publish site --out h.zip', 1, 'import h.zip', { prepare: remove('data') }),
  shown('commands/tree-state.ts: build', 'publish pub', 0, 'build', { prepare: observeNight(6), isRepeated: true }),
  shown('commands/tree-state.ts: build', 'publish site --out h.zip', 3, 'build --out h.zip', {
    prepare: observeNight(6),
    isRepeated: true,
  }),
  shown('commands/tree-state.ts: build', 'publish site --out h.zip', 3, 'build --out h.zip --replace-tree', {
    prepare: steps(
      run('store', 'push', 'earlier'),
      observeNight(6),
      run('build', '--out', 'h.zip'),
      run('store', 'pull', 'earlier', '--replace'),
    ),
    isRepeated: true,
  }),
  {
    site: 'commands/mirror.ts: import',
    prepare: (home) => cpSync(PAGES, join(home, 'saved pages'), { recursive: true }),
    run: ['mirror', 'saved pages'],
    code: 2,
    suggests: "import 'saved pages'",
  },
  shown('commands/exclusions.ts: exclusions', 'exclusions --end', 2, 'exclusions nina_k --end', {
    prepare: run('remove', 'nina_k', '--yes'),
  }),
  shown('commands/sources.ts: verb', 'import bad.ndjson --rejects r.ndjson', 1, 'import r.ndjson', {
    prepare: write('bad.ndjson', lines({ ...bioRecord(900_002), text: 7 })),
    correct: corrected,
  }),
  shown('command-line/usage-failure.ts: name', 'build tree', 2, 'build --out tree'),
  shown('command-line/usage-failure.ts: name', 'build --nope', 2, 'build --help'),
  shown('commands/sources.ts: verb', 'import bad.ndjson --rejects r.ndjson --max-rejected 50%', 0, 'import r.ndjson', {
    prepare: write('bad.ndjson', rejects),
    correct: corrected,
  }),
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --on-conflict keep' },
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --on-conflict replace' },
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --rejects FILE', fill: { FILE: 'set-aside.ndjson' } },
  shown('commands/sources.ts: verb', 'observe bad.ndjson --rejects r.ndjson', 0, 'observe r.ndjson', {
    prepare: write('bad.ndjson', badNight + night(9, NAMES.slice(3))),
    correct: edit('r.ndjson', '"bio":7', '"bio":"x"'),
  }),
  shown('commands/next-step.ts: build', 'observe n.ndjson', 0, 'build', { prepare: write('n.ndjson', night(9, NAMES)) }),
  shown('commands/next-step.ts: build', 'remove user_3 --yes', 0, 'build'),
  {
    site: 'commands/next-step.ts: build',
    run: ['import', PAGES, '--store', 'big.db'],
    code: 0,
    suggests: 'build --store big.db --out FOLDER --account-page-size 20',
    fill: { FOLDER: 'big' },
  },
  shown('commands/build.ts: verify', 'build', 0, 'verify'),
  shown('commands/build.ts: publish', 'build --html', 0, 'publish TARGET', { fill: { TARGET: 'pub3' } }),
  shown('commands/archive.ts: import', 'archive wacz --to w.wacz', 0, 'import w.wacz --store copy.db --require-complete'),
  shown('commands/export.ts: import', 'export ndjson --to e.ndjson', 0, 'import e.ndjson --store copy.db'),
  shown('commands/normalize.ts: observe', 'normalize n.ndjson --to part.ndjson', 0, 'observe part.ndjson', {
    prepare: write('n.ndjson', night(9, NAMES)),
  }),
  shown('commands/remove-receipt.ts: build', 'remove user_3 --yes --receipt receipt.txt --check out', 1, 'build'),
  shown('commands/remove-receipt.ts: publish', 'remove user_3 --receipt receipt.txt --check pub', 1, 'publish pub --allow-gaps', {
    prepare: steps(run('remove', 'user_3', '--yes'), run('build')),
    isRepeated: true,
  }),
  shown('commands/remove-receipt.ts: publish', 'remove user_3 --receipt receipt.txt --check site', 1, 'publish site --out ZIP', {
    prepare: steps(run('remove', 'user_3', '--yes'), run('build', '--out', 'h.zip')),
    fill: { ZIP: 'h.zip' },
    isRepeated: true,
  }),
  shown(
    'commands/remove-receipt.ts: store push',
    'remove user_3 --yes --receipt receipt.txt --check backup',
    1,
    'store push backup --keep-last 1',
  ),
  shown('commands/rewrite.ts: rewrite', 'rewrite', 0, 'rewrite nginx'),
  shown('commands/rewrite.ts: rewrite', 'rewrite nginx', 0, 'rewrite nginx --to FOLDER', { fill: { FOLDER: 'host' } }),
  shown('commands/verify.ts: publish', 'verify site', 1, 'publish site --out ZIP --repair --store FILE', {
    prepare: (home) => truncateSync(fileIn(join(home, 'site', 'versions'), '.zip'), 100),
    fill: { ZIP: 'h.zip', FILE: STORE },
    ends: 1,
    isRepeated: true,
  }),
  shown('commands/verify.ts: build', `verify pub --store ${STORE}`, 1, 'build', { prepare: observeNight(5) }),
  shown('commands/verify.ts: publish', `verify pub --store ${STORE}`, 1, 'publish pub --repair', {
    prepare: steps(observeNight(5), run('build')),
    isRepeated: true,
  }),
  shown('commands/verify.ts: publish', `verify pub --store ${STORE}`, 1, 'publish pub --allow-gaps --repair', {
    prepare: steps(run('remove', 'user_3', '--yes'), run('build')),
    isRepeated: true,
  }),
  shown('commands/verify.ts: build', 'verify', 1, 'build --repair', { prepare: append('out/rest/data/index.json', ' '), isRepeated: true }),
  shown('commands/verify.ts: verify', 'verify --store other.db', 1, 'verify --store FILE', {
    prepare: observeNight(1, NAMES, 'other.db'),
    fill: { FILE: STORE },
  }),
  shown('sources/hint-command.ts: observe', 'import n.ndjson --store n.db', 1, 'observe n.ndjson --store n.db --observed-at TIME', {
    prepare: write(
      'n.ndjson',
      lines({ acct: 'a@social.example', id: '1', display_name: 'a', note: 'b', url: 'https://social.example/@a' }),
    ),
    fill: { TIME: at(1) },
  }),
  shown('sources/hint-command.ts: import', 'observe p.ndjson', 1, 'import p.ndjson', {
    prepare: write('p.ndjson', lines(bioRecord(900_001))),
  }),
  {
    site: 'sources/inputs/unsupported.ts: export ndjson',
    run: ['import', STORE, '--store', 'n.db'],
    code: 1,
    suggests: 'export ndjson --to - | import - --store n.db',
  },
  ...['csv', 'parquet'].map((format) =>
    shown(
      'sources/inputs/unsupported.ts: export ndjson',
      `import e.${format} --store n.db`,
      1,
      'export ndjson --to - --store STORE | import - --store n.db',
      { prepare: run('export', format, '--to', `e.${format}`), fill: { STORE } },
    ),
  ),
  shown(
    'sources/inputs/unsupported.ts: verb',
    'import s --exclude *.txt --store n.db',
    1,
    "import s --store n.db --exclude '*.txt' --exclude '*.png'",
    { prepare: steps(write('s/a.json', lines(bioRecord(900_001))), write('s/x.png', PNG), write('s/y.png', PNG), write('s/z.txt', 'no')) },
  ),
];

/** The suggestions that are options to add to the command that failed. */
export const OPTIONS: readonly Suggestion[] = [
  shown('tree/build/refuse-loss.ts: --replace-tree', 'build --store other.db', 3, '--replace-tree', {
    prepare: observeNight(1, NAMES, 'other.db'),
  }),
  shown('tree/build/refuse-loss.ts: --replace-tree', 'build --page-size 50 --account-page-size 50', 3, '--replace-tree'),
  shown('publish/planning/reader-gaps.ts: --allow-gaps', 'publish pub', 3, '--allow-gaps', {
    prepare: steps(run('remove', 'user_2', '--yes'), run('build')),
  }),
  shown('publish/planning/guards.ts: --replace', 'publish pub --store older.db', 3, '--replace', {
    prepare: steps(
      (home) => copyFileSync(join(home, STORE), join(home, 'older.db')),
      run('remove', 'somebody', '--allow-unknown', '--yes'),
      run('publish', 'pub'),
    ),
  }),
  shown('publish/planning/guards.ts: --max-delete', 'publish pub --allow-gaps --store small.db', 3, '--max-delete \\d+', {
    prepare: steps(
      observeNight(1, NAMES, 'small.db'),
      (home) => rmSync(join(home, 'out'), { recursive: true }),
      run('build', '--store', 'small.db', '--base-url', SITE, '--page-size', '50'),
    ),
  }),
  shown('contract/base-url.ts: --allow-loopback', 'publish pub2', 3, '--allow-loopback', {
    prepare: run('build', '--base-url', 'http://localhost:8080'),
  }),
  shown('contract/base-url.ts: --allow-other-base-url', 'publish pub', 3, '--allow-other-base-url', {
    prepare: run('build', '--base-url', 'https://other.example'),
  }),
  shown('publish/trees/refuse-other-files.ts: --allow-other-files', 'publish www', 3, '--allow-other-files', {
    prepare: write('www/notes.txt', 'x'),
  }),
  shown('publish/trees/refuse-other-files.ts: --allow-other-files', 'publish site/inner', 3, '--allow-other-files'),
  shown('publish/trees/refuse-other-files.ts: --allow-other-files', 'publish copy --out nothing', 3, '--allow-other-files', {
    prepare: (home) => cpSync(join(home, 'out'), join(home, 'copy'), { recursive: true }),
    ends: 1,
  }),
  shown('versions/live-versions.ts: --replace', 'publish site --out o.zip --store other.db', 3, '--replace', {
    prepare: steps(observeNight(7, NAMES, 'other.db'), run('build', '--store', 'other.db', '--out', 'o.zip', '--base-url', SITE)),
  }),
  shown('backup/push-failures.ts: --replace', 'store push backup', 3, '--replace', { prepare: steps(remove('data'), observeNight(3)) }),
  shown('backup/push-failures.ts: --replace', 'store push backup', 3, '--replace', {
    prepare: steps(
      (home) => copyFileSync(join(home, STORE), join(home, 'old.db')),
      observeNight(5),
      run('store', 'push', 'backup'),
      (home) => renameSync(join(home, 'old.db'), join(home, STORE)),
    ),
  }),
  shown('backup/pull.ts: --replace', 'store pull backup', 3, '--replace', { prepare: observeNight(5) }),
  shown('backup/pull.ts: --allow-missing', 'store pull nothing --store n.db', 1, '--allow-missing'),
  shown('commands/remove.ts: --yes', 'remove user_2', 3, '--yes'),
  shown('commands/remove.ts: --allow-unknown', 'remove zzzzzz --yes', 1, '--allow-unknown'),
  shown('store/exclusions/remove.ts: --allow-unknown', 'remove user_ --yes', 1, '--allow-unknown'),
  shown('observe/read-inputs.ts: --allow-future', 'observe - --store n.db', 3, '--allow-future', {
    input: night(1, ['user_1']).replaceAll('2024-', '2124-'),
  }),
  shown('commands/reject-reasons.ts: --allow-future', 'observe - --store n.db --rejects r.ndjson', 3, '--allow-future', {
    input: night(1, ['user_1']).replaceAll('2024-', '2124-'),
  }),
  shown('commands/sources.ts: --allow-future', 'observe - --store n.db --observed-at 2124-01-01T00:00:00Z', 3, '--allow-future', {
    input: lines({ acct: 'a@social.example', id: '1', display_name: 'a', note: 'b', url: 'https://social.example/@a' }),
  }),
  shown('observe/run-guards.ts: --allow-late', 'observe - --rejects late.ndjson --max-rejected 100% --min-accounts 0%', 3, '--allow-late', {
    input: night(1, ['user_1', 'user_2', 'new_one']).replaceAll('2024-', '2014-'),
  }),
  shown('observe/run-guards.ts: --min-accounts', 'observe -', 3, '--min-accounts 0%', { input: night(9, ['user_1']) }),
  shown('sources/rejects/rejection.ts: --max-rejected', 'import - --rejects r.ndjson', 3, '--max-rejected 100%', { input: rejects }),
  shown('import/conflict-list.ts: --on-conflict', 'import - --store n.db', 1, '--on-conflict keep', {
    input: lines({ ...bioRecord(1), text: 'another text' }),
    prepare: steps(write('one.ndjson', lines(bioRecord(1))), run('import', 'one.ndjson', '--store', 'n.db')),
  }),
  shown('store/writing/split-history.ts: --on-conflict', 'import - --store n.db', 1, '--on-conflict replace', {
    input: lines(...['new', 'new'].map(generated).toReversed()),
    prepare: steps(write('one.ndjson', lines(generated('old', 0))), run('import', 'one.ndjson', '--store', 'n.db')),
  }),
];

/** Suggestions without a situation here, and why. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'commands/build.ts: serve': 'it runs until it is stopped; serve-open.system.test.ts starts it as it is printed',
  'commands/verify.ts: serve': 'the same',
  'backup/push-failures.ts: import': 'the export above is piped into it',
  'commands/store-check.ts: store check': 'check.test.ts repairs stores that can be repaired',
  'sources/inputs/unsupported.ts: import': 'unsupported.test.ts has a WARC',
  'sources/inputs/unsupported.ts: observe': 'unsupported.test.ts has a file of a Twitter archive',
  'mirror/delete-from-store.ts: --max-delete': 'gone.test.ts',
  'mirror/service-page.ts: mirror': 'service-page.test.ts; the service is elsewhere',
  'store/exclusions/exclusion-writer.ts: --on-conflict': 'removal.test.ts',
  'store/accounts/account-state-writer.ts: --on-conflict': 'ndjson.test.ts',
  'storage/conditional-write-proof.ts: --single-publisher': 'state-object.test.ts',
  'removal/check-copy.ts: --yes': 'the hint says to leave it out',
  'commands/remove-receipt.ts: remove': 'receipt.test.ts: there is no space for temporary files',
  'commands/exclusions.ts: --replace': 'removal.test.ts runs it',
  'commands/exclusions.ts: --end': 'the command above has it',
  'commands/store-check.ts: --on-conflict': 'check.test.ts',
  'commands/remove.ts: --allow-gaps': 'removal.test.ts has the sentence',
  'versions/live-versions.ts: --replace': 'guards.test.ts runs it',
  'versions/live-versions.ts: publish': 'guards.test.ts runs it',
  'versions/rollback.ts: --replace': 'the commands above have it',
  'versions/rollback.ts: --replace-tree': 'the same',
  'versions/rollback.ts: --allow-gaps': 'the same',
};
