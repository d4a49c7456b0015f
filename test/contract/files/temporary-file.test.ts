import { existsSync, fstatSync, mkdirSync, readdirSync, readFileSync, readSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTemporaryFile, removeTemporaryFiles } from '../../../src/contract/files/temporary-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

const LEFT = '-spool-01234567-89ab-cdef-0123-456789abcdef';

describe('a temporary file', () => {
  it('has no name, is readable only by its owner, and returns the written bytes', () => {
    const folder = temporaryFolder();
    const spools = [openTemporaryFile(join(folder, 's.db')), openTemporaryFile(join(folder, 's.db'))];
    expect(readdirSync(folder)).toEqual([]);
    for (const [index, { descriptor }] of spools.entries()) writeSync(descriptor, `text ${index}`, 0);
    for (const [index, { descriptor }] of spools.entries()) {
      const bytes = Buffer.alloc(6);
      readSync(descriptor, bytes, 0, 6, 0);
      expect(bytes.toString()).toBe(`text ${index}`);
      expect(fstatSync(descriptor).mode & 0o777).toBe(0o600);
    }
    for (const spool of spools) spool.close();
    expect(() => fstatSync(spools[0]?.descriptor ?? -1)).toThrow();
  });

  it('of a killed run is removed, and no other file', () => {
    const folder = temporaryFolder();
    const store = join(folder, 's.db');
    const victim = join(folder, 'victim');
    const others = ['s.db', 's.db-profiles', 's.db-timeline', 's.db-spool-mine', `other.db${LEFT}`, `s.db${LEFT}.bak`, 'victim'];
    for (const name of [...others, `s.db${LEFT}`]) writeFileSync(join(folder, name), 'kept');
    const [link, inside] = [`s.db${LEFT.replace('0', '1')}`, `s.db${LEFT.replace('0', '2')}`];
    symlinkSync(victim, join(folder, link));
    mkdirSync(join(folder, inside));
    removeTemporaryFiles(store);
    expect(readdirSync(folder).toSorted()).toEqual([...others, link, inside].toSorted());
    expect(readFileSync(victim, 'utf8')).toBe('kept');
    expect(existsSync(join(folder, `s.db${LEFT}`))).toBe(false);
  });
});
