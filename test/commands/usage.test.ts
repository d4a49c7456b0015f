import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS, TASKS } from '../../src/command-line/commands.ts';
import { VERSION } from '../../src/version.ts';
import { allCommands } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

const SHORT_OPTIONS: { readonly [long: string]: string } = { '--store': '-s', '--out': '-o', '--dry-run': '-n', '--quiet': '-q' };

describe('help', () => {
  it.each([[['build']], [['store', 'check']]])('shows the help of the command %j', async (words) => {
    const help = await palimpsestHere(['help', ...words]);
    expect(help.stdout).toContain(`Usage: palimpsest ${words.join(' ')} `);
    expect(help).toEqual(await palimpsestHere([...words, '--help']));
  });

  it('groups the commands by task, and names each once', async () => {
    const { stdout } = await palimpsestHere(['--help']);
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Options', ...Object.keys(TASKS).map((heading) => heading.slice(0, -1))]);
    const names = [...stdout.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    const firsts = new Set(Object.keys(COMMANDS).map((name) => name.split(' ')[0]));
    expect(names.toSorted()).toEqual([...firsts, 'help'].toSorted());
  });

  it.each([80, 40])('has lines of at most %i columns except for examples, and one sentence about variables', (columns) => {
    for (const [, command] of allCommands()) {
      let help = '';
      command.configureOutput({ writeOut: (part) => (help += part), getOutHelpWidth: () => columns }).outputHelp();
      expect(help.split('\n').filter((line) => line.length > columns && !line.startsWith('  $ '))).toEqual([]);
      expect(help.match(/PALIMPSEST_STORE\b/g)).toHaveLength(1);
    }
  });

  it.each([[['foo']], [['store', 'foo']]])('rejects the unknown command %j', async (words) => {
    const { code, stdout, stderr } = await palimpsestHere(['help', ...words]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("unknown command 'foo' (usage)")]);
  });
});

it.each([
  [['serve', 'site'], 'serve --out site'],
  [['serve', '8000'], 'serve --port 8000'],
  [['version'], '--version'],
  [['store', 'check', 'x.db'], 'store check --store x.db'],
  [['export', 'csv', 'tables'], 'export csv --to tables'],
  [['archive', 'bag', '--bag-info', 'a=b', 'dir'], 'archive bag --to dir --bag-info a=b'],
  [['build', '--noindex', 'public'], 'build --out public --noindex'],
  [['build', '--no-html', 'public'], 'build --out public --no-html'],
  [['build', '--compress', 'gzip', 'brotli'], 'build --compress gzip,brotli'],
  [['accounts', 'clay', 'higgins'], "accounts 'clay higgins'"],
  [['store', 'check', 'help'], 'store check --help'],
])('suggests the option for a path that is written without one, and corrects other words that are too many: %j', async (args, expected) => {
  const { code, stderr } = await palimpsestHere(args, { cwd: temporaryFolder() });
  expect(stderr.replaceAll(/`[^`]*palimpsest(\.js)? /g, '`')).toContain(`\`${expected}\``);
  expect(code).toBe(2);
});

it.each([
  ['store pull backup --store r.db --version 1'],
  ['store push backup --version'],
  ['remove ann --yes --version'],
  ['build -V'],
  ['store --version'],
])('rejects --version after a command, which would not run: %s', async (line) => {
  const { code, stdout, stderr } = await palimpsestHere(line.split(' '), { cwd: temporaryFolder() });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/unknown option '(--version|-V)' \(usage\)\n.*\n.*--help/)]);
});

it.each([
  [['import', '--dry-run=not now'], '--dry-run=not now'],
  [['build', '-qs'], '--store'],
  [['build', '--out'], '--out'],
  [['--', 'normalize', 's.json'], '--to'],
  [['build', '--page-size', 'x'], '--page-size'],
  [['build', '--foo', '--page-size'], '--page-size'],
])('the error names the option that is wrong: %j', async (args, field) => {
  const { code, stderr } = await palimpsestHere(args, { cwd: temporaryFolder() });
  expect([code, /^ {2}where {5}(.*)$/m.exec(stderr)?.[1]]).toEqual([2, field]);
});

it('prints the version without a command, and before one', async () => {
  for (const args of [['--version'], ['-V'], ['--version', 'build']])
    expect(await palimpsestHere(args)).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

it('says where an option belongs that is written before the command', async () => {
  const { code, stderr } = await palimpsestHere(['--store', 'x.db', 'build']);
  expect(stderr).toContain('write --store after the command: palimpsest build --store …');
  expect(code).toBe(2);
});

// the words are in a table of the source: here is one for each way to look them up
describe('the words of other programs', () => {
  it.each([
    ['list', 'palimpsest accounts` or `palimpsest versions` or `palimpsest store versions'],
    ['check', 'palimpsest store check` or `palimpsest verify'],
    ['store restore x', 'palimpsest store pull'],
    ['deploy s3://bucket', 'palimpsest publish'],
    ['build --page-size-account 5', '--account-page-size'],
    ['archive zip', 'palimpsest build'],
    ['rewrite --list', 'leave out --list'],
    ['wacz', 'palimpsest archive wacz'],
    ['archive csv', 'palimpsest export csv'],
    ['import --input x', 'give the source as an argument'],
    ['mirror x --no-delete', 'leave out --no-delete: --delete is off by default'],
    ['constructor', 'palimpsest --help'],
    ['publish x --dryrun', '--dry-run'],
    ['accounts -n 5', '--limit'],
    ['publish x --force', 'publish --help'],
    ['rewrite --host nginx', 'give the host as an argument: `palimpsest rewrite <host>'],
    ['verify --full', '--full is an option of `palimpsest mirror'],
    ['build --html=no', 'did you mean --no-html?'],
    ['build --html false', 'did you mean --no-html?'],
    ['build --dry-run false', 'leave out --dry-run: it is off by default'],
    ['publish x --keep-weekly 3', 'did you mean --keep-daily or --keep-monthly?'],
    ['publish x --keep-last 3', 'did you mean --keep-daily or --keep?'],
    ['store pull backup --to x.db', 'did you mean --store?'],
    ['store pull backup -o x.db', 'did you mean --store?'],
    ['store pull --to backup', 'give the target as an argument'],
    ['export ndjson -o x', 'did you mean --to instead of -o?'],
    ['archive wacz --out=x', 'did you mean --to instead of --out?'],
    ['help push', 'palimpsest store push`'],
    ['help store restore', 'palimpsest store pull`'],
  ])('are suggested as words of this one: %s', async (line, expected) => {
    const { code, stdout } = await palimpsestHere([...line.split(' '), '--json'], { cwd: temporaryFolder() });
    const { hint } = JSON.parse(stdout).error;
    expect(hint.replaceAll(/`[^`]*palimpsest(?:\.js)? /g, '`palimpsest ')).toContain(expected);
    expect(code).toBe(2);
  });

  it('is not a name that differs by most of its letters', async () => {
    expect((await palimpsestHere(['verify', '--quick'])).stderr).toContain('verify --help');
  });
});

it('suggests a command and an option for each that lacks one of its letters', async () => {
  const { stdout } = await palimpsestHere(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z]{5,}) /gm)].map(([, name = '']) => name);
  const options = [...(await palimpsestHere(['publish', '--help'])).stdout.matchAll(/^ {2}--([a-z-]{6,})/gm)].map(([, name = '']) => name);
  const lines = [
    ...commands.map((name) => [[`${name.slice(0, 2)}${name.slice(3)}`], name] as const),
    ...options.map((name) => [['publish', 'x', `--${name.slice(0, 2)}${name.slice(3)}`], `--${name}`] as const),
  ];
  expect(lines.length).toBeGreaterThan(25);
  for (const [words, name] of lines) expect((await palimpsestHere(words)).stderr, words.join(' ')).toContain(name);
});

describe('short options', () => {
  it('are the same in all commands', () => {
    for (const [, { options }] of allCommands())
      for (const { long, short } of options) if (long !== '--version') expect(short).toBe(SHORT_OPTIONS[long ?? '']);
  });
});

describe('a URL instead of a path', () => {
  it.each([
    'build --base-url https://example.org --out s3://bucket/site',
    'import page.json az://container/pages',
    'observe file:///var/profiles.ndjson',
    'publish s3:/bucket/site',
  ])('is wrong usage, and creates no folder: %s', async (line) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await palimpsestHere(line.split(' '), { cwd });
    expect(stderr).toMatch(/not a URL|is not a valid source|did you mean s3:\/\/bucket\/site\?/);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is accepted as a path if it starts with ./', async () => {
    const cwd = temporaryFolder();
    const { stderr } = await palimpsestHere(['import', './https:/page.json'], { cwd });
    expect(stderr).toContain('(no-source)');
    expect(existsSync(join(cwd, 'https:'))).toBe(false);
  });
});

const SNAPSHOT = '{"observed_at":"2024-01-01T00:00:00Z","screen_name":"ann","bio":"a"}\n';

/** Runs a command that succeeds, and returns its output. */
async function observing(env: Readonly<Record<string, string>>, ...options: string[]) {
  const finished = await palimpsestHere(['observe', '-', ...options], { cwd: temporaryFolder(), input: SNAPSHOT, env });
  expect(finished.code, finished.stderr).toBe(0);
  return finished;
}

describe('a variable that no command has', () => {
  it.each([
    ['PALIMPSEST_STORES', 'PALIMPSEST_STORE'],
    ['PALIMPSEST_DB', 'PALIMPSEST_STORE'],
    ['PALIMPSEST_URL', 'PALIMPSEST_BASE_URL'],
    ['PALIMPSEST_END_POINT', 'PALIMPSEST_ENDPOINT'],
    // an option of another command
    ['PALIMPSEST_BASEURL', 'PALIMPSEST_BASE_URL'],
  ])('is named in a warning, with a similar variable (%s)', async (variable, similar) => {
    const { stdout, stderr } = await observing({ [variable]: 'x' }, '--json');
    expect(stderr).toBe(`warning: ${variable} is ignored, because no command has this variable; did you mean ${similar}?\n`);
    expect(JSON.parse(stdout)).toMatchObject({ snapshots: 1 });
  });

  it.each(['DRYRUN', 'DRY_RUNS', 'DRY', 'DRY_MODE', 'DRY_RUN_MODE', 'RUN_DRY'])(
    'is refused if it means a dry run, and nothing is written: PALIMPSEST_%s',
    async (name) => {
      const cwd = temporaryFolder();
      const { code, stderr } = await palimpsestHere(['observe', '-'], { cwd, input: SNAPSHOT, env: { [`PALIMPSEST_${name}`]: '1' } });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/\(usage\).*PALIMPSEST_DRY_RUN/s)]);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.each([
    ['RUN', '5'],
    ['DAILY_RUN', '3'],
    ['RERUN', '1'],
    ['NO_DRY_RUN', '1'],
    ['LAUNDRY', '1'],
    ['DRYRUN', '0'],
  ])('is only a warning if it means no dry run: PALIMPSEST_%s=%s', async (name, value) => {
    expect((await observing({ [`PALIMPSEST_${name}`]: value })).stderr).toContain(`warning: PALIMPSEST_${name} is ignored`);
  });

  it.each([
    ['observe - --dry-run', '; did you mean PALIMPSEST_DRY_RUN?'],
    ['exclusions --json', ''],
  ])('is only a warning if the run writes nothing, and suggests no variable that the command lacks: %s', async (line, suggestion) => {
    const options = { cwd: temporaryFolder(), input: SNAPSHOT, env: { PALIMPSEST_DRYRUN: '1' } };
    const warning = 'warning: PALIMPSEST_DRYRUN is ignored, because no command has this variable';
    expect((await palimpsestHere(line.split(' '), options)).stderr.split('\n')).toContain(`${warning}${suggestion}`);
  });

  it('is reported with --quiet, too, but not if it is empty', async () => {
    expect((await observing({ PALIMPSEST_STORES: 'x' }, '--quiet')).stderr).toContain('PALIMPSEST_STORES is ignored');
    expect((await observing({ PALIMPSEST_STORES: '' })).stderr).toBe('');
  });
});

it('reports no variable of any command, also if it switches an option off', async () => {
  const env = {
    PALIMPSEST_BASE_URL: 'x',
    PALIMPSEST_KEEP_LAST: '3',
    PALIMPSEST_DRY_RUN: '0',
    PALIMPSEST_HTML: '1',
  };
  expect((await observing(env)).stderr).toBe('');
});

describe('switches that contradict each other', () => {
  const both = { PALIMPSEST_HTML: '1', PALIMPSEST_NO_HTML: '1' };

  it.each<[string, Record<string, string>, string, string]>([
    ['build --html --no-html', {}, '--html and --no-html contradict each other', '--no-html'],
    ['build', both, 'PALIMPSEST_HTML=1 and PALIMPSEST_NO_HTML=1 contradict each other', 'PALIMPSEST_NO_HTML'],
    ['observe x', { PALIMPSEST_DRY_RUN: 'never' }, 'PALIMPSEST_DRY_RUN says neither yes nor no', 'PALIMPSEST_DRY_RUN'],
  ])('are wrong usage, because one would be dropped: %s %j', async (line, env, message, field) => {
    const { code, stdout } = await palimpsestHere([...line.split(' '), '--json'], { cwd: temporaryFolder(), env });
    expect([code, JSON.parse(stdout).error]).toMatchObject([2, { code: 'usage', message, field }]);
  });

  it.each<[string, Record<string, string>]>([
    ['build --store a.db --html --html', {}],
    ['build --store a.db --no-html', both],
    ['build --store a.db', { PALIMPSEST_HTML: '0', PALIMPSEST_NO_HTML: '1' }],
  ])('are not those that say the same, or that the command line overrides: %s %j', async (line, env) => {
    const { code } = await palimpsestHere(line.split(' '), { cwd: temporaryFolder(), env });
    expect(code).toBe(1);
  });
});

it('removes no account because of a variable, which may be from an earlier command', async () => {
  const cwd = temporaryFolder();
  await palimpsestHere(['observe', '-'], { cwd, input: SNAPSHOT });
  const { code, stderr } = await palimpsestHere(['remove', 'ann'], { cwd, env: { PALIMPSEST_YES: '1' } });
  expect([code, stderr]).toEqual([3, expect.stringContaining('warning: PALIMPSEST_YES is ignored, because only the command line can set')]);
  expect((await palimpsestHere(['accounts'], { cwd })).stdout).toContain('ann');
});
