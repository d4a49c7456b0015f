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
const rejects = lines(bioRecord(900_001), bioRecord(900_002, { text: 7 }));
const edit = (name: string, from: string, to: string) => (home: string) =>
  writeFileSync(join(home, name), readFileSync(join(home, name), 'utf8').replaceAll(from, to));
const corrected = edit('r.ndjson', '"text":7', '"text":"x"');
const badNight = lines(seen(9, 'user_1', 'x'), { ...seen(9, 'user_2', 'x'), bio: 7 });

/** Each suggestion with its situation. The home has a store, trees in `out` and `h.zip`, and the targets `pub`, `site` and `backup`. */
export const COMMANDS: readonly Suggestion[] = [
  {
    site: 'tree/existing-tree.ts: build',
    prepare: (home) =>
      writeFileSync(join(home, 'out', 'build.json'), JSON.stringify({ palimpsest: '0.1.0', state: 'unfinished', base_url: SITE })),
    run: ['publish', 'pub2'],
    code: 1,
    suggests: 'build',
    isRepeated: true,
  },
  {
    site: 'tree/existing-tree.ts: build',
    prepare: remove('out'),
    run: ['archive', 'bag', '--to', 'b'],
    code: 1,
    suggests: 'build',
    isRepeated: true,
  },
  {
    site: 'tree/verified-tree.ts: build',
    prepare: append('out/rest/data/index.json', ' '),
    run: ['archive', 'bag', '--to', 'b'],
    code: 1,
    suggests: 'build --store FILE --repair',
    fill: { FILE: STORE },
    isRepeated: true,
  },
  { site: 'publish/trees/other-files.ts: publish', run: ['publish', 'out', '--out', 'pub'], code: 3, suggests: 'publish pub' },
  {
    site: 'store/database/open-store.ts: import',
    prepare: remove('data', 'out'),
    run: ['build'],
    code: 1,
    suggests: 'import SOURCE',
    fill: { SOURCE: PAGES },
    isRepeated: true,
  },
  { site: 'store/exclusions/allow.ts: exclusions', run: ['exclusions', 'nobody'], code: 1, suggests: 'exclusions' },
  { site: 'store/exclusions/remove.ts: accounts', run: ['remove', 'zzzzzz', '--yes'], code: 1, suggests: 'accounts' },
  { site: 'history/find-account.ts: accounts', run: ['history', 'zzzzzz'], code: 1, suggests: 'accounts' },
  { site: 'history/find-account.ts: accounts', run: ['history', 'user_'], code: 1, suggests: 'accounts @user_' },
  {
    site: 'store/database/store-error.ts: store check',
    prepare: damagePage,
    run: ['export', 'ndjson', '--to', 'e.ndjson'],
    code: 1,
    suggests: 'store check',
    ends: 1,
  },
  { site: 'hosting/find-host.ts: rewrite', run: ['rewrite', 'qqqqqqqq'], code: 2, suggests: 'rewrite --list' },
  {
    site: 'hosting/find-host.ts: build',
    run: ['rewrite', 'apache', '--out', 'site'],
    code: 3,
    suggests: 'build --out FOLDER',
    fill: { FOLDER: 'tree' },
  },
  {
    site: 'backup/push.ts: store pull',
    prepare: steps(
      (home) => copyFileSync(join(home, STORE), join(home, 'old.db')),
      observeNight(5),
      run('store', 'push', 'backup'),
      (home) => renameSync(join(home, 'old.db'), join(home, STORE)),
    ),
    run: ['store', 'push', 'backup'],
    code: 3,
    suggests: 'store pull backup',
  },
  {
    site: 'backup/push.ts: store pull',
    prepare: steps(remove('data'), observeNight(3)),
    run: ['store', 'push', 'backup'],
    code: 3,
    suggests: 'store pull backup --store other.db',
  },
  { site: 'backup/pull.ts: store list', run: ['store', 'pull', 'backup', '--from-version', '9'], code: 1, suggests: 'store list backup' },
  {
    site: 'backup/pull.ts: store list',
    prepare: (home) => truncateSync(fileIn(join(home, 'backup', 'versions'), '.br'), 100),
    run: ['store', 'pull', 'backup', '--store', 'new.db'],
    code: 1,
    suggests: 'store list backup',
  },
  { site: 'versions/rollback.ts: versions', run: ['publish', 'site', '--rollback', '9'], code: 1, suggests: 'versions site' },
  {
    site: 'versions/site-version.ts: build',
    prepare: (home) => {
      const bytes = readFileSync(join(home, 'h.zip'));
      bytes.fill(0x5a, 200, 300);
      writeFileSync(join(home, 'h.zip'), bytes);
    },
    run: ['publish', 'site2', '--out', 'h.zip'],
    code: 1,
    suggests: 'build --out h.zip --repair',
    isRepeated: true,
  },
  {
    site: 'versions/site-version.ts: build',
    prepare: remove('h.zip'),
    run: ['publish', 'site2', '--out', 'h.zip'],
    code: 1,
    suggests: 'build --out h.zip',
  },
  {
    site: 'commands/publish-versions.ts: import',
    prepare: remove('data'),
    run: ['publish', 'site', '--out', 'h.zip'],
    code: 1,
    suggests: 'import h.zip',
  },
  {
    site: 'commands/not-built-from.ts: build',
    prepare: observeNight(6),
    run: ['publish', 'site', '--out', 'h.zip'],
    code: 3,
    suggests: 'build --out h.zip',
    isRepeated: true,
  },
  {
    site: 'commands/mirror.ts: import',
    prepare: (home) => cpSync(PAGES, join(home, 'saved pages'), { recursive: true }),
    run: ['mirror', 'saved pages'],
    code: 2,
    suggests: "import 'saved pages'",
  },
  {
    site: 'commands/exclusions.ts: exclusions',
    prepare: run('remove', 'nina_k', '--yes'),
    run: ['exclusions', '--allow'],
    code: 2,
    suggests: 'exclusions nina_k --allow',
  },
  {
    site: 'commands/sources.ts: verb',
    prepare: write('bad.ndjson', lines({ ...bioRecord(900_002), text: 7 })),
    run: ['import', 'bad.ndjson', '--rejects', 'r.ndjson'],
    code: 1,
    suggests: 'import r.ndjson',
    correct: corrected,
  },
  { site: 'command-line/usage-failure.ts: name', run: ['build', 'tree'], code: 2, suggests: 'build --out tree' },
  { site: 'command-line/usage-failure.ts: name', run: ['build', '--nope'], code: 2, suggests: 'build --help' },
  {
    site: 'commands/import.ts: import',
    prepare: write('bad.ndjson', rejects),
    run: ['import', 'bad.ndjson', '--rejects', 'r.ndjson', '--max-rejected', '50%'],
    code: 0,
    suggests: 'import r.ndjson',
    correct: corrected,
  },
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --on-conflict keep' },
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --on-conflict replace' },
  { site: 'commands/import.ts: import', ...conflict, suggests: 'import c2.ndjson --rejects FILE', fill: { FILE: 'set-aside.ndjson' } },
  {
    site: 'commands/observe.ts: observe',
    prepare: write('bad.ndjson', badNight + night(9, NAMES.slice(3))),
    run: ['observe', 'bad.ndjson', '--rejects', 'r.ndjson'],
    code: 0,
    suggests: 'observe r.ndjson',
    correct: edit('r.ndjson', '"bio":7', '"bio":"x"'),
  },
  {
    site: 'commands/next-build.ts: build',
    prepare: write('n.ndjson', night(9, NAMES)),
    run: ['observe', 'n.ndjson'],
    code: 0,
    suggests: 'build',
  },
  { site: 'commands/next-build.ts: build', run: ['remove', 'user_3', '--yes'], code: 0, suggests: 'build' },
  {
    site: 'commands/next-build.ts: build',
    run: ['import', PAGES, '--store', 'big.db'],
    code: 0,
    suggests: 'build --store big.db --out FOLDER',
    fill: { FOLDER: 'big' },
  },
  { site: 'commands/build.ts: verify', run: ['build'], code: 0, suggests: 'verify' },
  { site: 'commands/build.ts: publish', run: ['build', '--html'], code: 0, suggests: 'publish TARGET', fill: { TARGET: 'pub3' } },
  {
    site: 'commands/archive.ts: import',
    run: ['archive', 'wacz', '--to', 'w.wacz'],
    code: 0,
    suggests: 'import w.wacz --store copy.db --require-complete',
  },
  {
    site: 'commands/export.ts: import',
    run: ['export', 'ndjson', '--to', 'e.ndjson'],
    code: 0,
    suggests: 'import e.ndjson --store copy.db',
  },
  {
    site: 'commands/normalize.ts: observe',
    prepare: write('n.ndjson', night(9, NAMES)),
    run: ['normalize', 'n.ndjson', '--to', 'part.ndjson'],
    code: 0,
    suggests: 'observe part.ndjson',
  },
  {
    site: 'commands/remove-receipt.ts: build',
    run: ['remove', 'user_3', '--yes', '--receipt', 'receipt.txt', '--check', 'out'],
    code: 1,
    suggests: 'build',
  },
  {
    site: 'commands/remove-receipt.ts: publish',
    prepare: steps(run('remove', 'user_3', '--yes'), run('build')),
    run: ['remove', 'user_3', '--receipt', 'receipt.txt', '--check', 'pub'],
    code: 1,
    suggests: 'publish pub --allow-gaps',
    isRepeated: true,
  },
  {
    site: 'commands/remove-receipt.ts: publish',
    prepare: steps(run('remove', 'user_3', '--yes'), run('build', '--out', 'h.zip')),
    run: ['remove', 'user_3', '--receipt', 'receipt.txt', '--check', 'site'],
    code: 1,
    suggests: 'publish site --out ZIP',
    fill: { ZIP: 'h.zip' },
    isRepeated: true,
  },
  {
    site: 'commands/remove-receipt.ts: store push',
    run: ['remove', 'user_3', '--yes', '--receipt', 'receipt.txt', '--check', 'backup'],
    code: 1,
    suggests: 'store push backup --keep 1',
  },
  { site: 'commands/rewrite.ts: rewrite', run: ['rewrite', '--list'], code: 0, suggests: 'rewrite nginx' },
  {
    site: 'commands/rewrite.ts: rewrite',
    run: ['rewrite', 'nginx'],
    code: 0,
    suggests: 'rewrite nginx --host-files FOLDER',
    fill: { FOLDER: 'host' },
  },
  {
    site: 'commands/verify.ts: publish',
    prepare: (home) => truncateSync(fileIn(join(home, 'site', 'versions'), '.zip'), 100),
    run: ['verify', 'site'],
    code: 1,
    suggests: 'publish site --out ZIP --repair --store FILE',
    fill: { ZIP: 'h.zip', FILE: STORE },
    ends: 1,
    isRepeated: true,
  },
  {
    site: 'commands/verify.ts: build',
    prepare: append('out/rest/data/index.json', ' '),
    run: ['verify'],
    code: 1,
    suggests: 'build --store FILE --repair',
    fill: { FILE: STORE },
    isRepeated: true,
  },
  {
    site: 'sources/other-command.ts: observe',
    prepare: write(
      'n.ndjson',
      lines({ acct: 'a@social.example', id: '1', display_name: 'a', note: 'b', url: 'https://social.example/@a' }),
    ),
    run: ['import', 'n.ndjson', '--store', 'n.db'],
    code: 1,
    suggests: 'observe n.ndjson --store n.db --observed-at TIME',
    fill: { TIME: at(1) },
  },
  {
    site: 'sources/other-command.ts: import',
    prepare: write('p.ndjson', lines(bioRecord(900_001))),
    run: ['observe', 'p.ndjson'],
    code: 1,
    suggests: 'import p.ndjson',
  },
  {
    site: 'sources/inputs/unsupported.ts: export ndjson',
    run: ['import', STORE, '--store', 'n.db'],
    code: 1,
    suggests: 'export ndjson --to - | import - --store n.db',
  },
  {
    site: 'sources/inputs/unsupported.ts: export ndjson',
    prepare: run('export', 'csv', '--to', 'e.csv'),
    run: ['import', 'e.csv', '--store', 'n.db'],
    code: 1,
    suggests: 'export ndjson --to - --store STORE | import - --store n.db',
    fill: { STORE },
  },
  {
    site: 'sources/inputs/unsupported.ts: verb',
    prepare: steps(write('s/a.json', lines(bioRecord(900_001))), write('s/x.png', PNG), write('s/y.png', PNG), write('s/z.txt', 'no')),
    run: ['import', 's', '--exclude', '*.txt', '--store', 'n.db'],
    code: 1,
    suggests: "import s --store n.db --exclude '*.txt' --exclude '*.png'",
  },
];

/** The suggestions that are options to add to the command that failed. */
export const OPTIONS: readonly Suggestion[] = [
  {
    site: 'tree/build/replaced-tree.ts: --replace-tree',
    prepare: observeNight(1, NAMES, 'other.db'),
    run: ['build', '--store', 'other.db'],
    code: 3,
    suggests: '--replace-tree',
  },
  {
    site: 'tree/build/replaced-tree.ts: --replace-tree',
    run: ['build', '--page-size', '50', '--account-page-size', '50'],
    code: 3,
    suggests: '--replace-tree',
  },
  {
    site: 'publish/planning/guards.ts: --allow-gaps',
    prepare: steps(run('remove', 'user_2', '--yes'), run('build')),
    run: ['publish', 'pub'],
    code: 3,
    suggests: '--allow-gaps',
  },
  {
    site: 'publish/planning/guards.ts: --max-delete',
    prepare: steps(
      observeNight(1, NAMES, 'small.db'),
      (home) => rmSync(join(home, 'out'), { recursive: true }),
      run('build', '--store', 'small.db', '--base-url', SITE, '--page-size', '50'),
    ),
    run: ['publish', 'pub', '--allow-gaps', '--store', 'small.db'],
    code: 3,
    suggests: '--max-delete \\d+',
  },
  {
    site: 'contract/site.ts: --allow-loopback',
    prepare: run('build', '--base-url', 'http://localhost:8080'),
    run: ['publish', 'pub2'],
    code: 3,
    suggests: '--allow-loopback',
  },
  {
    site: 'contract/site.ts: --allow-other-base-url',
    prepare: run('build', '--base-url', 'https://other.example'),
    run: ['publish', 'pub'],
    code: 3,
    suggests: '--allow-other-base-url',
  },
  {
    site: 'publish/trees/other-files.ts: --allow-other-files',
    prepare: write('www/notes.txt', 'x'),
    run: ['publish', 'www'],
    code: 3,
    suggests: '--allow-other-files',
  },
  { site: 'publish/trees/other-files.ts: --allow-other-files', run: ['publish', 'site/inner'], code: 3, suggests: '--allow-other-files' },
  {
    site: 'publish/trees/other-files.ts: --allow-other-files',
    prepare: (home) => cpSync(join(home, 'out'), join(home, 'copy'), { recursive: true }),
    run: ['publish', 'copy', '--out', 'nothing'],
    code: 3,
    suggests: '--allow-other-files',
    ends: 1,
  },
  {
    site: 'versions/refusals.ts: --replace',
    prepare: steps(observeNight(7, NAMES, 'other.db'), run('build', '--store', 'other.db', '--out', 'o.zip', '--base-url', SITE)),
    run: ['publish', 'site', '--out', 'o.zip', '--store', 'other.db'],
    code: 3,
    suggests: '--replace',
  },
  {
    site: 'backup/push.ts: --replace',
    prepare: steps(remove('data'), observeNight(3)),
    run: ['store', 'push', 'backup'],
    code: 3,
    suggests: '--replace',
  },
  {
    site: 'backup/push.ts: --replace',
    prepare: steps(
      (home) => copyFileSync(join(home, STORE), join(home, 'old.db')),
      observeNight(5),
      run('store', 'push', 'backup'),
      (home) => renameSync(join(home, 'old.db'), join(home, STORE)),
    ),
    run: ['store', 'push', 'backup'],
    code: 3,
    suggests: '--replace',
  },
  { site: 'backup/pull.ts: --replace', prepare: observeNight(5), run: ['store', 'pull', 'backup'], code: 3, suggests: '--replace' },
  { site: 'backup/pull.ts: --allow-missing', run: ['store', 'pull', 'nothing', '--store', 'n.db'], code: 1, suggests: '--allow-missing' },
  { site: 'commands/remove.ts: --yes', run: ['remove', 'user_2'], code: 3, suggests: '--yes' },
  { site: 'commands/remove.ts: --allow-unknown', run: ['remove', 'zzzzzz', '--yes'], code: 1, suggests: '--allow-unknown' },
  { site: 'store/exclusions/remove.ts: --allow-unknown', run: ['remove', 'user_', '--yes'], code: 1, suggests: '--allow-unknown' },
  {
    site: 'observe/read-inputs.ts: --allow-future',
    input: night(1, ['user_1']).replaceAll('2024-', '2124-'),
    run: ['observe', '-', '--store', 'n.db'],
    code: 3,
    suggests: '--allow-future',
  },
  {
    site: 'commands/sources.ts: --allow-future',
    input: lines({ acct: 'a@social.example', id: '1', display_name: 'a', note: 'b', url: 'https://social.example/@a' }),
    run: ['observe', '-', '--store', 'n.db', '--observed-at', '2124-01-01T00:00:00Z'],
    code: 3,
    suggests: '--allow-future',
  },
  {
    site: 'observe/run-guards.ts: --min-accounts',
    input: night(9, ['user_1']),
    run: ['observe', '-'],
    code: 3,
    suggests: '--min-accounts 0%',
  },
  {
    site: 'sources/rejects/rejection.ts: --max-rejected',
    input: rejects,
    run: ['import', '-', '--rejects', 'r.ndjson'],
    code: 3,
    suggests: '--max-rejected 100%',
  },
  {
    site: 'import/account-conflicts.ts: --on-conflict',
    input: lines({ ...bioRecord(1), text: 'another text' }),
    prepare: steps(write('one.ndjson', lines(bioRecord(1))), run('import', 'one.ndjson', '--store', 'n.db')),
    run: ['import', '-', '--store', 'n.db'],
    code: 1,
    suggests: '--on-conflict keep',
  },
];

/** Suggestions without a situation here, and why. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'commands/build.ts: serve': 'it runs until it is stopped; serve-open.system.test.ts starts it as it is printed',
  'commands/verify.ts: serve': 'the same',
  'commands/store-check.ts: store check': 'check.test.ts repairs stores that can be repaired',
  'store/database/damaged.ts: store check': 'damage.test.ts reads stores with damaged rows',
  'sources/inputs/unsupported.ts: import': 'rejected-input.test.ts pipes a WARC',
  'sources/inputs/unsupported.ts: observe': 'rejected-input.test.ts has files of a Twitter archive',
  'mirror/delete-gone.ts: --max-delete': 'gone.test.ts',
  'mirror/import-pages.ts: --on-conflict': 'import-pages.test.ts',
  'store/exclusions/exclusion-writer.ts: --on-conflict': 'export.test.ts',
  'store/accounts/account-state-writer.ts: --on-conflict': 'export.test.ts',
  'publish/transfer/overlap-page.ts: --allow-gaps': 'overlap-page.test.ts',
  'storage/condition-proof.ts: --single-publisher': 'conditions.test.ts',
  'removal/copies.ts: --yes': 'the hint says to leave it out',
  'commands/exclusions.ts: --allow': 'the command above has it',
  'commands/store-check.ts: --on-conflict': 'check.test.ts',
  'versions/rollback.ts: --replace': 'the way back is in publish.md, whose commands docs.system.test.ts runs',
  'versions/rollback.ts: --allow-gaps': 'the same',
};
