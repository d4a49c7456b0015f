import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../src/export/tables.ts';
import { Connection } from '../../src/store/connection.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { folderOfFile } from '../whole/stores.ts';

const VIEWS = ['records', 'accounts'] as const;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const document = readFileSync(join(ROOT, 'docs/sql.md'), 'utf8');
const store = join(folderOfFile(), 'store.db');
const shell = requirement('sqlite3', () => spawnSync('sqlite3', ['--version']).status === 0);

const questions = [...document.matchAll(/^### (.*)\n\n```sql\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```$/gm)].map(
  ([, question = '', sql = '', answer = '']) => ({ question, sql, answer }),
);

beforeAll(async () => {
  for (const [command = '', source = ''] of document.matchAll(/^ {4}palimpsest (?:import|observe) (\S+)$/gm)) {
    const verb = command.trim().split(' ')[1] ?? '';
    await palimpsestJson([verb, join(ROOT, source), '--store', store]);
  }
});

describe('docs/sql.md', () => {
  it('has five questions', () => expect(questions).toHaveLength(5));

  it.skipIf(shell.skip).each(questions)('has the answer of the sqlite3 shell to: $question', ({ sql, answer }) => {
    const { status, stdout, stderr } = spawnSync('sqlite3', ['-readonly', '-header', '-separator', ' | ', store, sql], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: answer, stderr: '' });
  });

  it.each(VIEWS)('lists the columns of the view %s in their order, and the export has the same', (view) => {
    const start = document.indexOf(`\n\`${view}\` has one row`);
    const [table = ''] = /(?<=\n\n)\| column [\s\S]*?\n\n/.exec(document.slice(start)) ?? [];
    const listed = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    const database = new Connection(store, { readonly: true });
    const columns = database.prepare<[], string>(`SELECT name FROM pragma_table_info('${view}')`).pluck().all();
    database.close();
    expect(listed).toEqual(columns);
    expect(TABLES[view].columns.map(({ name }) => name)).toEqual(columns);
  });
});
