import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programFor } from '../../src/command-line/program.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { bioRecord } from '../support/bio-record.ts';
import { commandsIn } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsestHere } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';

/** The terminal of a command that does nothing, after its command line. */
async function terminalOf(argv: readonly string[]) {
  const stream = { write: () => {} };
  const terminal = new Terminal({ stdin: (async function* () {})(), stdout: stream, stderr: stream, env: {}, once: () => {} });
  const program = programFor(terminal);
  for (const [, command] of commandsIn(program)) command.action(() => {});
  await program.parseAsync(['node', 'palimpsest', ...argv]);
  return terminal;
}

describe('a suggested command', () => {
  it('has the options in force, without defaults, and the arguments of the same name', async () => {
    const terminal = await terminalOf(['store', 'pull', 's3://bucket', '--store', 'my store.db', '--endpoint', 'https://a.example']);
    expect(terminal.command('store versions')).toBe('palimpsest store versions s3://bucket --endpoint https://a.example');
    expect(terminal.command('build', { '--repair': true })).toBe("palimpsest build --store 'my store.db' --repair");
    expect(terminal.command('store check', { '--store': 'other.db' })).toBe('palimpsest store check --store other.db');
    const other = await terminalOf(['import', 'a', '--store', 'data/palimpsest.db']);
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
