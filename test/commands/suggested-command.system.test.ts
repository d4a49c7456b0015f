import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programFor } from '../../src/command-line/program.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { bioRecord } from '../support/bio-record.ts';
import { commandsIn } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsestHere } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Every command that the source code suggests: its name and the names of its options. */
const SUGGESTIONS = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('contract/hint.ts'))
  .flatMap((file) => [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:suggested|terminal\.command)\('([a-z ]+)'(?:, \{([^}]*)\})?(?:, \[([^\]]*)\])?/g),
  ])
  .map(([, command = '', options = '', args = '']) => ({
    command,
    options: Object.fromEntries(
      [...options.matchAll(/'(--[a-z-]+)': (?:(true)|'([^']*)')?/g)].map(([, name = '', flag, value]) => [
        name,
        flag === 'true' || (value ?? 'a value'),
      ]),
    ),
    args: args === '' ? [] : ['an argument'],
  }));

/** A program whose commands do nothing, after a command line with options in force. */
async function idleProgram(argv: readonly string[]) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  const terminal = new Terminal({ stdin: (async function* () {})(), stdout: stream, stderr: stream, env: {}, once: () => {} });
  const program = programFor(terminal);
  const ran: string[] = [];
  for (const [name, command] of commandsIn(program)) command.action(() => void ran.push(name));
  await program.parseAsync(['node', 'palimpsest', ...argv]);
  return { program, terminal, ran, written };
}

/** The words of a line, as a shell splits it. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

describe('a suggested command', () => {
  it('is found in the source code', () => {
    expect(SUGGESTIONS.length).toBeGreaterThan(15);
  });

  it.each(SUGGESTIONS)('is accepted by the parser: $command $options', async ({ command, options, args }) => {
    const { terminal } = await idleProgram(['publish', 's3://bucket/a site', '--out', "it's a tree", '--prefix', 'p']);
    const [name, ...words] = wordsOf(terminal.command(command, options, args));
    expect(name).toBe('palimpsest');
    expect((await idleProgram(words)).ran).toEqual([command]);
  });

  it('has the options in force, without defaults, and the arguments of the same name', async () => {
    const { terminal } = await idleProgram(['store', 'pull', 's3://bucket', '--store', 'my store.db', '--endpoint', 'https://a.example']);
    expect(terminal.command('store list')).toBe('palimpsest store list s3://bucket --endpoint https://a.example');
    expect(terminal.command('build', { '--repair': true })).toBe("palimpsest build --store 'my store.db' --repair");
    expect(terminal.command('store check', { '--store': 'other.db' })).toBe('palimpsest store check --store other.db');
    const { terminal: other } = await idleProgram(['import', 'a', '--store', 'data/palimpsest.db']);
    expect(other.command('build')).toBe('palimpsest build');
  });
});

describe('a command that is pasted', () => {
  it('works for each next step, with paths that need quotes', async () => {
    const folder = join(temporaryFolder(), "it's a folder");
    mkdirSync(folder);
    writeFileSync(join(folder, 'records.ndjson'), JSON.stringify(bioRecord(1)));
    const next = ({ stdout }: { readonly stdout: string }) => /^next: (.*)$/m.exec(stdout)?.[1] ?? '';
    const imported = await palimpsestHere(['import', 'records.ndjson', '--store', 'a store.db'], { cwd: folder });
    expect(next(imported)).toBe(`node ${BIN} build --store 'a store.db'`);
    const built = await shell(`${next(imported)} --out '$tree'`, folder);
    const verified = await shell(next(built), folder);
    expect([built.status, verified.status, next(verified)]).toEqual([0, 0, `node ${BIN} serve --out '$tree' --open`]);
    expect(readdirSync(folder)).toContain('$tree');
  });
});
