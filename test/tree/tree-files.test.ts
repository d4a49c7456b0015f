import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formOf, openTreeFiles, UnreadableFile } from '../../src/tree/tree-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { packed, writeZip } from '../zip/zips.ts';

const FILES = {
  'rest/data/index.json': '{"count":0,"next":null,"previous":null,"results":[]}',
  'browse/a/index.html': 'x'.repeat(40_000),
  'index.html': 'home',
  'build.json': '{}',
};

const forms = {
  folder: (folder: string) => {
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    mkdirSync(join(folder, '.palimpsest'));
    writeFileSync(join(folder, '.palimpsest/lock'), '');
    return folder;
  },
  zip: (folder: string) =>
    writeZip(
      folder,
      Object.entries(FILES).map(([path, text]) => packed(path, Buffer.from(text))),
    ),
};

function reasonOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UnreadableFile) return error.reason;
  }
  return 'none';
}

describe.each(Object.entries(forms))('the files of a tree in a %s', (form, make) => {
  it('are read whole and in chunks', () => {
    const files = openTreeFiles(make(temporaryFolder()));
    expect(files.form).toBe(form);
    for (const [path, text] of Object.entries(FILES)) {
      expect(files.read(path).toString()).toBe(text);
      let chunks = '';
      for (const piece of files.pieces(path)) chunks += piece;
      expect(chunks).toBe(text);
      expect(files.size(path)).toBe(text.length);
    }
    files.close();
  });

  it('are listed, all of them or those below a folder, without what is hidden', () => {
    const files = openTreeFiles(make(temporaryFolder()));
    expect([...files.paths()].toSorted()).toEqual(Object.keys(FILES).toSorted());
    expect([...files.paths('browse')]).toEqual(['browse/a/index.html']);
    expect([...files.paths('absent')]).toEqual([]);
    files.close();
  });

  it('are missing where there is no file', () => {
    const files = openTreeFiles(make(temporaryFolder()));
    for (const path of ['absent', 'index.html/below']) {
      expect([reasonOf(() => files.read(path)), reasonOf(() => [...files.pieces(path)]), files.size(path)]).toEqual([
        'missing',
        'missing',
        undefined,
      ]);
    }
    files.close();
  });
});

describe('the files of a tree', () => {
  it('are damaged in a ZIP if their bytes were changed, and unreadable in a folder if they are no files', () => {
    const zip = forms.zip(temporaryFolder());
    const bytes = readFileSync(zip);
    const place = bytes.indexOf('index.html', bytes.indexOf('browse/a/index.html') + 20) + 'index.html'.length;
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    writeFileSync(zip, bytes);
    const [inZip, inFolder] = [openTreeFiles(zip), openTreeFiles(forms.folder(temporaryFolder()))];
    expect(reasonOf(() => inZip.read('index.html'))).toBe('damaged');
    expect(reasonOf(() => inZip.read('build.json'))).toBe('none');
    expect(reasonOf(() => inFolder.read('rest/data'))).toBe('unreadable');
    inZip.close();
  });

  it('are in a ZIP if a file is at their path, or nothing and the path ends in .zip', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a.zip'));
    writeFileSync(join(folder, 'file'), 'text');
    expect(['a.zip', 'b.zip', 'file', 'absent'].map((name) => formOf(join(folder, name)))).toEqual(['folder', 'zip', 'zip', 'folder']);
    expect(reasonOf(() => openTreeFiles(join(folder, 'b.zip')))).toBe('missing');
    expect(reasonOf(() => openTreeFiles(join(folder, 'file')))).toBe('damaged');
  });
});
