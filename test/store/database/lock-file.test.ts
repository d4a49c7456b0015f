import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lock } from '../../../src/store/database/lock-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOT_OURS = expect.objectContaining({ code: 'not-ours', hint: expect.stringContaining('remove that file') });

describe('a lock', () => {
  it('is held by one holder at a time, and leaves no file', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lock');
    for (const holder of ['first', 'second']) {
      const held = lock(path);
      expect([holder, held]).toEqual([holder, { release: expect.any(Function) }]);
      expect(lock(path)).toBeUndefined();
      expect(readdirSync(folder)).toEqual(['lock']);
      held?.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it.each(['an existing', 'a missing'])('neither follows a symlink to %s file nor creates its target', (kind) => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'lock'), join(folder, 'target')];
    if (kind === 'an existing') writeFileSync(target, '');
    symlinkSync(target, path);
    expect(() => lock(path)).toThrow(NOT_OURS);
    expect(existsSync(target) ? readFileSync(target, 'utf8') : 'missing').toBe(kind === 'an existing' ? '' : 'missing');
  });

  it('refuses a folder, a pipe and a file with contents', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'file'), 'contents '.repeat(1000));
    for (const name of ['folder', 'pipe', 'file']) expect(() => lock(join(folder, name)), name).toThrow(NOT_OURS);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toMatch(/^contents /);
  });
});
