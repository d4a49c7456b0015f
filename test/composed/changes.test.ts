import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { changedTrees } from '../../src/composed/changed-trees.ts';
import { changedFeedLeaves, staleLeaves } from '../../src/composed/changes.ts';
import { ChunkReader, type Chunks } from '../../src/composed/chunk-folder.ts';
import { type ComposedHead, requireHead } from '../../src/composed/head.ts';
import { feedLeafOf } from '../../src/composed/leaf-list.ts';
import { readNodes } from '../../src/composed/nodes.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';

const site = { base_url: 'https://history.example', page_size: 100, account_page_size: 100 };
const time = new Date('2026-11-22T03:00:00Z');

/** A record of an account. */
type Seen = readonly [id: number, account: string];

const numbers = (length: number, first: number, step: number) => Array.from({ length }, (_, index) => first + index * step);

async function importRecords(store: string, records: readonly Seen[]): Promise<void> {
  const lines = records.map(([id, account]) =>
    JSON.stringify({
      id,
      account,
      data_type: 'Bio',
      previous: null,
      text: `${id}`,
      first_encountered_date: new Date(Date.UTC(2015, 0, 1) + id * 1000).toISOString().replace('.000Z', 'Z'),
      diff_html: `<ins style="background:#e6ffe6;">${id}</ins>`,
      web_archive_url: null,
    }),
  );
  async function* open() {
    yield Buffer.from(lines.join('\n'));
  }
  await importInputs(store, [{ name: 'lines', size: undefined, open }], { onConflict: 'fail' });
}

interface Change {
  readonly store: Store;
  readonly since: number;
  readonly head: ComposedHead;
  readonly chunks: Chunks;
  /** The chunks that were read, by their SHA-256. */
  readonly reads: readonly string[];
}

/** Builds a tree from some records, and adds others to the store. */
async function afterChange(first: readonly Seen[], next: readonly Seen[], look: (change: Change) => void): Promise<void> {
  const folder = temporaryFolder();
  const [path, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await importRecords(path, first);
  const { build: head } = await buildComposed(path, { out, site, time });
  await importRecords(path, next);
  const store = Store.open(path);
  try {
    const reader = new ChunkReader(out);
    const reads: string[] = [];
    const read = (hash: string) => {
      reads.push(hash);
      return reader.read(hash);
    };
    const chunks = { read, node: (hash: string) => reader.node(hash) };
    look({ store, since: store.revisionOf(head.store) ?? 0, head: requireHead(out), chunks, reads });
  } finally {
    store.close();
  }
}

describe('changedTrees', () => {
  const accounts: readonly Seen[] = numbers(2000, 10, 10).map((id) => [id, `user_${id}`]);

  it.each<[string, readonly Seen[], readonly Seen[]]>([
    [
      'accounts of most leaves changed',
      accounts,
      accounts.filter((_, at) => at % 10 === 0).map(([id, account]) => [id + 100_001, account]),
    ],
    ['most accounts changed, although they belong to few leaves', accounts.slice(0, 40), accounts.slice(40)],
  ])('reads no account if %s', async (_, first, next) => {
    await afterChange(first, next, ({ store, since, head, chunks, reads }) => {
      expect(changedTrees(store, since, head, chunks, () => {})).toBe(undefined);
      expect(reads).toEqual([]);
    });
  });
});

describe('changedFeedLeaves', () => {
  it('finds only the leaf of an old record that moves an account with records in all leaves', async () => {
    const first: Seen[] = numbers(1500, 1000, 10).map((id) => [id, id % 30 === 0 ? 'often' : `user_${id % 700}`]);
    // the account is now the first one of all
    await afterChange([...first, [1, 'early']], [[2, 'often']], ({ store, since, head, chunks }) => {
      const leaves = { data: readNodes(head.data.node, chunks).leaves, account: readNodes(head.account.node, chunks).leaves };
      expect(leaves.data.length).toBeGreaterThan(4);
      const items = store.accountItems();
      const stale = [...staleLeaves(leaves.account, items, since)];
      expect(changedFeedLeaves(stale, leaves, items, head.page_size, chunks)).toEqual([feedLeafOf(leaves.data, 2)]);
    });
  });
});
