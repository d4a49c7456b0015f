import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileFilter } from '../../../src/sources/inputs/file-filter.ts';
import { inputsOf } from '../../../src/sources/inputs/inputs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const FILES = ['1.json', '2.png', 'data/1.json', 'data/2.json.gz', 'data/page/3.json', 'drafts/4.json', 'drafts/data/5.json'];

const accepted = (include: readonly string[], exclude: readonly string[]) => {
  const filter = new FileFilter({ include, exclude });
  return FILES.filter((file) => filter.accepts(file));
};

describe('FileFilter', () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [[], [], FILES],
    [['*.json'], [], FILES.filter((file) => file.endsWith('.json'))],
    [[], ['*.png', '*.gz'], FILES.filter((file) => file.endsWith('.json'))],
    [['*.{json,json.gz}'], ['drafts/'], ['1.json', 'data/1.json', 'data/2.json.gz', 'data/page/3.json']],
    [['data'], [], ['data/1.json', 'data/2.json.gz', 'data/page/3.json', 'drafts/data/5.json']],
    [['/data'], [], ['data/1.json', 'data/2.json.gz', 'data/page/3.json']],
    [['data/*'], [], ['data/1.json', 'data/2.json.gz', 'data/page/3.json']],
    [['data/*.json'], [], ['data/1.json']],
    [['**/page/*'], [], ['data/page/3.json']],
    [['?.json'], ['data/**'], ['1.json', 'drafts/4.json', 'drafts/data/5.json']],
  ])('with --include %j and --exclude %j accepts %j', (include, exclude, expected) => {
    expect(accepted(include, exclude)).toEqual(expected);
  });
});

describe('inputsOf with patterns', () => {
  async function* nothing() {}

  it('returns the files that match, of folders and of named files, and does not look into excluded folders', () => {
    const folder = temporaryFolder();
    for (const file of FILES) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    symlinkSync('nowhere', join(folder, 'drafts', 'broken.json'));
    const paths = [folder, join(folder, '2.png'), join(folder, '1.json'), '-'];
    const names = inputsOf(paths, nothing(), { include: ['*.json'], exclude: ['drafts'] }).map(({ name }) =>
      name.replace(`${folder}/`, ''),
    );
    expect(names).toEqual(['1.json', 'data/1.json', 'data/page/3.json', '1.json', 'standard input']);
  });

  it('rejects patterns that no file matches', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.txt'), '');
    expect(() => inputsOf([folder], nothing(), { include: ['*.json'], exclude: [] })).toThrow(
      expect.objectContaining({ code: 'no-source', expected: 'a file that matches *.json' }),
    );
  });
});
