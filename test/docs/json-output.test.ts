import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere } from '../support/palimpsest.ts';
import { JSON_FIELDS } from './json-fields.ts';

const SAMPLE = new URL('../../data/sample/saved-pages', import.meta.url).pathname;
const SNAPSHOTS = new URL('../../data/sample-snapshots.ndjson', import.meta.url).pathname;

const COMMANDS = [
  ['import', SAMPLE],
  ['observe', SNAPSHOTS],
  ['normalize', SNAPSHOTS, '--to', 'all.ndjson'],
  ['build', '--base-url', 'https://example.org', '--html'],
  ['verify', '--store', 'data/palimpsest.db'],
  ['publish', 'site', '--plan'],
  ['publish', 'site'],
  ['rewrite', 'nginx', '--host-files', 'host'],
  ['rewrite', '--list'],
  ['archive', 'wacz', '--to', 'history.wacz'],
  ['import', 'history.wacz'],
  ['export', 'csv', '--to', 'tables'],
  ['store', 'push', 'backup'],
  ['store', 'pull', 'backup'],
  ['store', 'list', 'backup'],
  ['store', 'check'],
  ['history', 'nina_k'],
  ['accounts', '--limit', '1'],
  ['remove', 'nina_k', '--yes'],
  ['exclusions'],
] as const;

/** Objects that have a field for each name of something: a capability, a rule, a field of a profile. */
const MAPS = ['capabilities', 'cannot', 'untested', 'notes_by_rule', 'rules'];

describe('the JSON output of every command', () => {
  const fields = new Map<string, Set<string>>();
  const outputs = new Map<string, object>();

  beforeAll(async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    for (const args of COMMANDS) {
      const { stdout, stderr } = await palimpsestHere([...args, '--json'], { cwd });
      expect(stdout, stderr).not.toBe('');
      fields.set(args.join(' '), new Set(fieldsOf(JSON.parse(stdout))));
      outputs.set(args.join(' '), JSON.parse(stdout));
    }
  }, 60_000);

  /** The fields with a property, by command. */
  function fieldsThat(test: (name: string) => boolean): object {
    return Object.fromEntries(
      [...fields].map(([command, names]) => [command, [...names].filter(test)]).filter(([, found]) => found?.length),
    );
  }

  it('has field names in lower case with underscores, as the API has', () => {
    const PROFILE = ['Location', 'Bio', 'Name', 'Website', 'Verified'];
    expect(fieldsThat((name) => !/^[a-z0-9_]+$/.test(name) && !PROFILE.includes(name))).toEqual({});
  });

  it('has the fields that the table lists for the command', () => {
    for (const [line, output] of outputs) {
      const words = line.split(' ');
      const flag = words.find((word) => word === '--plan' || word === '--list');
      const table = JSON_FIELDS[[words[0], flag ?? words[1]].join(' ')] ?? JSON_FIELDS[words[0] ?? ''] ?? {};
      const rows = Object.entries(table).flatMap(([names, meaning]) => names.split(', ').map((name) => [name, meaning] as const));
      expect(
        rows.map(([name]) => name),
        line,
      ).toEqual(expect.arrayContaining(Object.keys(output)));
      const always = rows.filter(([name, meaning]) => !name.includes('.') && !/missing|with `--|if it has/.test(meaning));
      expect(Object.keys(output), line).toEqual(expect.arrayContaining(always.map(([name]) => name)));
    }
  });

  it('has only fields that the documentation lists', () => {
    const folder = new URL('../../docs/', import.meta.url);
    const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
    const text = pages.map((page) => readFileSync(new URL(page, folder), 'utf8')).join('\n');
    expect(fieldsThat((name) => !new RegExp(`[\`.]${name}\``).test(text))).toEqual({});
  });
});

function* fieldsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* fieldsOf(item);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    yield name;
    if (!MAPS.includes(name)) yield* fieldsOf(inner);
  }
}
