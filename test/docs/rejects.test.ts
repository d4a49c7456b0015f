import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';

const document = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
const start = document.indexOf('\n### Rejected items\n');
const section = document.slice(start, document.indexOf('\n### ', start + 1));
/** The commands of each code block in the section, as lists of arguments. */
const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) =>
  code
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(1)),
);

const record = (text: unknown) =>
  JSON.stringify({
    id: 1,
    account: 'jack',
    data_type: 'Bio',
    previous: null,
    text,
    first_encountered_date: '2023-11-18T16:29:12Z',
    diff_html: '',
    web_archive_url: null,
  });
const user = (text: unknown) => JSON.stringify({ id_str: '12', screen_name: 'jack', description: text });

describe('docs/commands.md', () => {
  it.each([
    ['import', 'site', record],
    ['observe', 'users', user],
  ] as const)('shows commands of %s that write rejects and read them after they were corrected', async (command, source, make) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, source));
    writeFileSync(join(cwd, source, '1.ndjson'), make(7));
    writeFileSync(join(cwd, source, '2.ndjson'), '');
    // an item that is not rejected
    writeFileSync(join(cwd, source, '3.ndjson'), make('hello').replace('jack', 'joan').replace('12', '14').replace('"id":1', '"id":3'));
    const block = blocks.find(([first]) => first?.[0] === command) ?? [];
    expect(block).toHaveLength(2);
    const results = [];
    for (const args of block) {
      results.push(await palimpsest([...args, '--json'], { cwd }));
      // what the user does between the two commands
      const file = join(cwd, 'rejects.ndjson');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"(text|description)":7/, '"$1":"corrected"'));
      writeFileSync(
        join(cwd, source, '2.ndjson'),
        make('corrected').replace('jack', 'jill').replace('12', '13').replace('"id":1', '"id":2'),
      );
    }
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(results.map(({ stdout }) => JSON.parse(stdout).rejected)).toEqual([2, 0]);
    const { records } = JSON.parse((await palimpsest(['history', 'jill', '--json'], { cwd })).stdout);
    expect(records.map(({ text }: { text: string }) => text)).toContain('corrected');
  });
});
