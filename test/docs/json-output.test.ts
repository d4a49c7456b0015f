import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../src/serve/server.ts';
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
  ['mirror', 'SERVED', '--store', 'mirrored.db', '--delay', '0ms'],
  ['publish', 'site', '--dry-run'],
  ['publish', 'site'],
  ['verify', 'site'],
  ['rewrite', 'nginx', '--to', 'host'],
  ['rewrite'],
  ['archive', 'wacz', '--to', 'history.wacz'],
  ['import', 'history.wacz'],
  ['export', 'ndjson', '--to', 'all.ndjson'],
  ['export', 'csv', '--to', 'tables'],
  ['store', 'push', 'backup'],
  ['store', 'pull', 'backup'],
  ['store', 'versions', 'backup'],
  ['store', 'check'],
  ['build', '--out', 'history.zip'],
  ['publish', 'versions', '--out', 'history.zip', '--allow-loopback'],
  ['verify', 'versions'],
  ['versions', 'versions'],
  ['history', 'nina_k'],
  ['accounts', '--limit', '1'],
  ['remove', 'nina_k', '--yes', '--check', 'out'],
  ['exclusions'],
] as const;

/** Objects that have a field for each name of something: a capability, a rule, a field of a profile. `index` is as in head.json. */
const MAPS = ['capabilities', 'cannot', 'untested', 'notes_by_rule', 'records_by_field', 'rules', 'index'];

describe('the JSON output of every command', () => {
  const fields = new Map<string, Set<string>>();
  const outputs = new Map<string, object>();

  beforeAll(async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    for (const args of COMMANDS) {
      const server = args[0] === 'mirror' ? await serve({ out: join(cwd, 'out'), host: '127.0.0.1', port: 0, rebase: true }) : undefined;
      const line = args.map((word) => (word === 'SERVED' ? (server?.url ?? word) : word));
      const { stdout, stderr } = await palimpsestHere([...line, '--json'], { cwd }).finally(() => server?.close());
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
    expect(fieldsThat((name) => !/^[a-z0-9_]+$/.test(name))).toEqual({});
  });

  it('has one kind of value for each key, in all commands', () => {
    const kinds = new Map<string, Set<string>>();
    for (const [line, output] of outputs)
      for (const [name, kind] of kindsOf(output)) kinds.set(name, (kinds.get(name) ?? new Set()).add(`${kind} in ${line}`));
    const several = [...kinds].filter(([, uses]) => new Set([...uses].map((use) => use.split(' in ')[0])).size > 1);
    expect(Object.fromEntries(several)).toEqual({});
  });

  it('has the fields that the table lists for the command', () => {
    for (const [line, output] of outputs) {
      const words = line.split(' ');
      const [name = '', argument] = words;
      const form = line === 'rewrite' ? 'without a host' : words.includes('--dry-run') ? '--dry-run' : argument;
      const fields = JSON_FIELDS[`${name} ${line.startsWith('publish versions') ? 'of a ZIP' : form}`] ?? JSON_FIELDS[name] ?? {};
      const rows = Object.entries(fields).flatMap(([names, meaning]) => names.split(', ').map((one) => [one, meaning] as const));
      expect(
        rows.map(([field]) => field),
        line,
      ).toEqual(expect.arrayContaining(Object.keys(output)));
      const always = rows.filter(([field, meaning]) => !field.includes('.') && !/missing|with `--|if it has/.test(meaning));
      expect(Object.keys(output), line).toEqual(expect.arrayContaining(always.map(([field]) => field)));
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

/** Yields each field with the kind of its value. Null and empty lists fit every kind. */
function* kindsOf(value: unknown): Generator<readonly [name: string, kind: string]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* kindsOf(item);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const isKnown = Array.isArray(inner) ? inner.length > 0 : inner !== null;
    if (isKnown) yield [name, Array.isArray(inner) ? `list of ${typeof inner[0]}s` : typeof inner];
    if (!MAPS.includes(name)) yield* kindsOf(inner);
  }
}
