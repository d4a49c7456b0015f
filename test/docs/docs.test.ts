import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programFor } from '../../src/cli.ts';
import { FAILURES } from '../../src/contract/failure.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { RULES } from '../../src/verify/violation.ts';
import { VERSION } from '../../src/version.ts';
import { commandsIn } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { section } from './blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const silent = { write: () => true };
const terminal = new Terminal({ stdin: (async function* () {})(), stdout: silent, stderr: silent, env: {}, once: () => {} });
const commands = commandsIn(await programFor(terminal));

describe('docs/commands.md', () => {
  const document = read('docs/commands.md');

  it.each(commands)('lists exactly the options of %s', (name, command) => {
    const text = section(document, name);
    const everywhere = ['--json', '--quiet', '--help'];
    const options = command.options.map((option) => option.long ?? '').filter((flag) => !everywhere.includes(flag));
    const rows = [...text.matchAll(/^\| `(--[a-z-]+)` \|/gm)].map((match) => match[1]);
    expect(rows.toSorted()).toEqual(options.toSorted());
    for (const flag of options) expect(text.split('\n\n')[1], `the synopsis of ${name}`).toContain(flag);
    for (const option of command.options) {
      if (typeof option.defaultValue !== 'string' && typeof option.defaultValue !== 'number') continue;
      expect(text, `the default of ${option.long}`).toMatch(
        new RegExp(`\\| \`${option.long}\` \\| \`?${quoted(String(option.defaultValue))}\`? \\|`),
      );
    }
  });

  it('lists every command', () => {
    for (const [name, command] of commands) {
      expect(document).toMatch(new RegExp(`^ {4}palimpsest ${name} .*${command.summary()}$`, 'm'));
    }
  });

  it('lists every exit code', () => {
    const codes = [0, ...new Set(Object.values(FAILURES))];
    for (const code of codes) expect(document).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  it('names the correct environment variable of every option', () => {
    for (const [, command] of commands) {
      for (const { long = '', envVar } of command.options) {
        // the same job can run `store push`, which has options of the same names
        const own = command.name() === 'publish' && long.startsWith('--keep') ? 'PUBLISH_' : '';
        expect(envVar).toBe(`PALIMPSEST_${own}${long.slice(2).toUpperCase().replaceAll('-', '_')}`);
      }
    }
  });
});

describe('docs/errors.md', () => {
  it('lists exactly the error codes, with their exit codes', () => {
    const rows = [...read('docs/errors.md').matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map((match) => [match[1], Number(match[2])]);
    expect(Object.fromEntries(rows)).toEqual(FAILURES);
  });
});

describe('docs/snapshots.md', () => {
  it('has an example that can be observed', async () => {
    const snapshot = /```json\n(.*)\n```/.exec(read('docs/snapshots.md'))?.[1] ?? '';
    const store = join(temporaryFolder(), 'store.db');
    expect(await palimpsestHere(['observe', '-', '--store', store], { input: snapshot })).toMatchObject({ code: 0 });
  });
});

describe('docs/rules.md', () => {
  it('lists exactly the rules, word for word', () => {
    const rows = [...read('docs/rules.md').matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map((match) => [match[1], match[2]]);
    expect(Object.fromEntries(rows)).toEqual(RULES);
  });
});

describe('the release', () => {
  it('has the same version in all files', () => {
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
    expect(read('CHANGELOG.md')).toContain(`## ${VERSION}`);
  });
});

describe('README.md', () => {
  const document = read('README.md');

  it('shows a whole page of the sample', async () => {
    const cwd = temporaryFolder();
    expect(await palimpsestHere(['import', join(ROOT, 'data/sample')], { cwd })).toMatchObject({ code: 0 });
    expect(await palimpsestHere(['build'], { cwd })).toMatchObject({ code: 0 });
    const page = readFileSync(join(cwd, 'out/rest/data/page/4/index.json'), 'utf8');
    expect(section(document, 'Quick start')).toContain(`?page=4'\n\`\`\`\n\n\`\`\`json\n${page}\n\`\`\``);
  });

  it('has an example record that imports', async () => {
    const record = /```json\n(.*)\n```/.exec(section(document, 'Use your own data'))?.[1] ?? '';
    expect(await palimpsestHere(['import', '-', '--store', join(temporaryFolder(), 'store.db')], { input: record })).toMatchObject({
      code: 0,
    });
  });

  it('links only to files that exist', () => {
    for (const [, path = ''] of document.matchAll(/\]\(([^)#]+)\)/g)) expect(() => read(path), path).not.toThrow();
  });
});

/** A text as a regular expression that matches nothing else. */
function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
