import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere } from '../support/palimpsest.ts';

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

  beforeAll(async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    for (const args of COMMANDS) {
      const { stdout, stderr } = await palimpsestHere([...args, '--json'], { cwd });
      expect(stdout, stderr).not.toBe('');
      fields.set(args.join(' '), new Set(fieldsOf(JSON.parse(stdout))));
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

  it('has only fields that the documentation lists', () => {
    const folder = new URL('../../docs/', import.meta.url);
    const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
    const text = pages.map((page) => readFileSync(new URL(page, folder), 'utf8')).join('\n');
    expect(fieldsThat((name) => !text.includes(`\`${name}\``))).toEqual({});
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
