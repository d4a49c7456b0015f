import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';

const MIB = 1 << 20;
/** The page cache, and some room for the rest of SQLite. */
const MOST_GROWTH = 100 * MIB;
const ROWS = 11_000;

describe('openStore', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['a new', 'an existing'])('bounds the page cache of %s store in a transaction of 170 MiB', (kind) => {
    const path = join(folder, 'store.db');
    const existing = kind === 'an existing' ? openStore(path, 'write') : undefined;
    const database = openStore(path, 'write');
    try {
      database.exec('BEGIN IMMEDIATE; CREATE TABLE filler (bytes BLOB)');
      const insert = database.prepare<[Buffer]>('INSERT INTO filler VALUES (?)');
      const bytes = Buffer.alloc(16_000);
      const before = process.memoryUsage.rss();
      for (let row = 0; row < ROWS; row += 1) insert.run(bytes);
      expect(process.memoryUsage.rss() - before).toBeLessThan(MOST_GROWTH);
    } finally {
      database.close();
      existing?.close();
    }
  });
});
