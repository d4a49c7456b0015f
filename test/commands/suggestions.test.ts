import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, type Finished, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { COMMANDS, ELSEWHERE, NAMES, night, OPTIONS, SITE, type Suggestion } from './suggestions.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
// the sizes of all trees here
process.env['PALIMPSEST_PAGE_SIZE'] = '5';
process.env['PALIMPSEST_ACCOUNT_PAGE_SIZE'] = '5';

const base = join(folderOfFile(), 'base');

beforeAll(async () => {
  mkdirSync(base, { recursive: true });
  const run = (...args: string[]) => palimpsestJson(args, { cwd: base });
  await palimpsestJson(['observe', '-'], { cwd: base, input: night(1, [...NAMES, 'nina_k']) });
  await palimpsestJson(['observe', '-'], { cwd: base, input: night(2, NAMES) });
  await run('build', '--base-url', SITE);
  await run('build', '--base-url', SITE, '--out', 'h.zip');
  await run('publish', 'pub');
  await run('publish', 'site', '--out', 'h.zip');
  await run('store', 'push', 'backup');
});

/** Returns where the source suggests a command or an option, each as often as it does. */
function sitesIn(pattern: RegExp, lines: (line: string) => boolean = () => true): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(SRC, file), 'utf8').split('\n').filter(lines).join('\n');
    return [...text.matchAll(pattern)].map(([, name]) => `${file}: ${name}`);
  });
}

const listed = (suggestions: readonly Suggestion[]) => new Set([...suggestions.map(({ site }) => site), ...Object.keys(ELSEWHERE)]);

/** Returns the commands in an output: what follows the name of the program, up to the end of the line or a backtick. */
function commandsIn(home: string, { stdout, stderr }: Finished): string[] {
  const receipt = join(home, 'receipt.txt');
  const text = `${stdout}\n${stderr}\n${existsSync(receipt) ? readFileSync(receipt, 'utf8') : ''}`.replaceAll(`node ${BIN}`, 'palimpsest');
  return [...text.matchAll(/(?:`|: |&& |^ *|run |\()palimpsest ([^`\n;]*?)(?=[`\n;?]| prints|$)/gm)].map(([, command = '']) =>
    command.replaceAll('| palimpsest ', '| ').trim(),
  );
}

/** The words of a command, as a shell splits it. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? '');
}

/** The number of records in the store; 0 if there is none, or if it is damaged. */
function recordsIn(home: string): number {
  try {
    const store = Store.open(join(home, 'data', 'palimpsest.db'));
    const { records } = store.revision;
    store.close();
    return records;
  } catch {
    return 0;
  }
}

/** Runs a command, and pipes it into the next one if there is one. */
async function runPrinted(home: string, command: string, fill: Readonly<Record<string, string>> = {}): Promise<Finished> {
  let ended: Finished | undefined;
  for (const one of command.split(' | ')) {
    const words = wordsOf(one).map((word) => fill[word] ?? word);
    const input: { readonly input?: string } = ended === undefined ? {} : { input: ended.stdout };
    if (words[0] === 'grep' && ended !== undefined)
      ended = { ...ended, stdout: execFileSync('grep', words.slice(1), { ...input, encoding: 'utf8' }) };
    else ended = await palimpsestHere(words, { cwd: home, ...input });
  }
  if (ended === undefined) throw new Error('there is no command');
  return ended;
}

async function prepared({ prepare, run, input = '' }: Suggestion) {
  const home = temporaryFolder();
  cpSync(base, home, { recursive: true });
  await prepare?.(home);
  const before = recordsIn(home);
  return { home, before, ended: await palimpsestHere(run, { cwd: home, input }) };
}

describe('a suggested command', () => {
  it('is in the table, for each place in the source that suggests one', () => {
    const calls = sitesIn(/(?<!function )(?<![.\w])(?:suggested|terminal\.command|command)\(\s*'?([a-z ]+)'?/g);
    const found = calls.filter((site) => !site.startsWith('terminal/'));
    const known = listed(COMMANDS);
    expect(found.filter((site) => !known.has(site))).toEqual([]);
    expect([...known].filter((site) => !site.includes(': --') && !found.includes(site))).toEqual([]);
  });

  it.each(COMMANDS)('works where it is suggested: $site, $suggests', async (suggestion) => {
    const { home, before, ended } = await prepared(suggestion);
    expect(ended, ended.stderr).toMatchObject({ code: suggestion.code });
    expect(commandsIn(home, ended)).toContain(suggestion.suggests);
    suggestion.correct?.(home);
    const followed = await runPrinted(home, suggestion.suggests, suggestion.fill);
    expect(followed, followed.stderr).toMatchObject({ code: suggestion.ends ?? 0 });
    const hasFewer = suggestion.run[0] === 'remove' || suggestion.suggests.includes('--number');
    if (suggestion.ends === undefined) expect(recordsIn(home)).toBeGreaterThanOrEqual(hasFewer ? 0 : before);
    if (suggestion.isRepeated) expect(await palimpsestHere(suggestion.run, { cwd: home })).toMatchObject({ code: 0 });
  });
});

it('a suggested command names a store that is the default, if a variable names another one', async () => {
  const { home } = await prepared({ site: '', run: ['accounts'], code: 0, suggests: '' });
  const options = { cwd: home, env: { PALIMPSEST_STORE: 'other.db' } };
  const commands = commandsIn(home, await palimpsestHere(['import', 'data/palimpsest.db'], options));
  expect(commands).toEqual(['export ndjson --to - --store data/palimpsest.db | import - --store other.db']);
  const usage = ['history', 'zzzzzz', '--store', 'data/palimpsest.db'];
  expect(commandsIn(home, await palimpsestHere(usage, options))).toEqual(['accounts --store data/palimpsest.db']);
});

describe('a suggested option', () => {
  it('is in the table, for each message in the source that names one', () => {
    const found = sitesIn(
      /(?<=\S.*)(--(?:allow|max|min|single|on-conflict|yes|replace)[a-z-]*)/g,
      (line) => /hint|add |with --/i.test(line) && /['`]/.test(line),
    );
    const known = listed(OPTIONS);
    expect(
      found.filter((site) => !site.startsWith('command-line/') && !site.startsWith('contract/failure-codes.ts') && !known.has(site)),
    ).toEqual([]);
  });

  it.each(OPTIONS)('works where it is suggested: $site, $suggests', async (suggestion) => {
    const { home, ended } = await prepared(suggestion);
    expect(ended, ended.stderr).toMatchObject({ code: suggestion.code });
    const [option = ''] = new RegExp(suggestion.suggests).exec(`${ended.stdout}${ended.stderr}`.replaceAll(/expected .*/g, '')) ?? [];
    expect(option).not.toBe('');
    const args = [...suggestion.run, ...option.split(' ')];
    const followed = await palimpsestHere(args, { cwd: home, input: suggestion.input ?? '' });
    expect(followed, followed.stderr).toMatchObject({ code: suggestion.ends ?? 0 });
  });
});
