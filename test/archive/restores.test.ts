import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeBag } from '../../src/archive/bag.ts';
import { writeWacz } from '../../src/archive/wacz.ts';
import { type ArchiveOptions, writeWarc } from '../../src/archive/warc.ts';
import { identities, ndjson } from '../../src/export/ndjson.ts';
import { importInputs } from '../../src/import/import.ts';
import { openArchives } from '../../src/sources/archives/web-archive-inputs.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import type { InputError } from '../../src/sources/source.ts';
import { Store } from '../../src/store/store.ts';
import { build } from '../../src/tree/build/build.ts';
import { openVerified, type VerifiedTree } from '../../src/tree/verified-tree.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedSnapshot } from '../support/generated-snapshots.ts';
import { histories, toNdjson } from '../support/histories.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, pagesIn } from '../whole/trees.ts';

const SITE = { base_url: 'https://example.org/api', page_size: 3, account_page_size: 2 };

type Write = (tree: VerifiedTree, to: string, options: ArchiveOptions) => Promise<void>;

/** Every kind of package, each with the name of a target; the last one is an export. */
const PACKAGES: readonly (readonly [name: string, write: Write | undefined])[] = [
  ['history.wacz', writeWacz],
  ['history.warc.gz', writeWarc],
  ['history.warc', writeWarc],
  ['history-bag', writeBag],
  ['history.ndjson', undefined],
];

/** Writes a package of a tree with the identities of its store, or an export. */
async function pack(write: Write | undefined, from: string, out: string, to: string): Promise<void> {
  const store = Store.open(from);
  if (write === undefined) writeFileSync(to, [...ndjson(store)].join(''));
  else await write(openVerified(out), to, { identities: identities(store) });
  store.close();
}

/** Imports a package into a new store. */
async function restore(path: string, store: string): Promise<void> {
  const { inputs, close } = await openArchives(inputsOf([path], process.stdin));
  const requireComplete = !path.endsWith('.ndjson');
  await importInputs(store, inputs, { onConflict: 'fail', requireComplete });
  close();
}

function fingerprintOf(path: string): string {
  const store = Store.open(path);
  store.close();
  return store.revision.fingerprint;
}

async function observed(store: string, snapshots: readonly Snapshot[]) {
  const rejects: InputError[] = [];
  return { summary: await observe(store, snapshots, { onReject: (error) => rejects.push(error) }), rejects };
}

/** Snapshots in the order of their times, of accounts that rename and take over handles. */
const snapshots = fc
  .array(generatedSnapshot, { minLength: 2, maxLength: 20 })
  .map((all) => all.toSorted((one, other) => (String(one['observed_at']) < String(other['observed_at']) ? -1 : 1)));

/** Between the nights, the bio changes twice: in the first store, and after it was restored. */
const NIGHTS: Snapshot[] = ['a', 'b', 'b', 'c'].map((bio, night) => {
  return { observed_at: `2024-03-0${1 + night}T04:00:00Z`, id: '1', screen_name: 'nina', bio };
});

describe('a store that is restored from a package with identities', () => {
  const folder = folderOfFile();

  it('has the same tree with HTML pages, the same manifest and the same fingerprint, and the same after new snapshots', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories(12), snapshots, fc.nat({ max: 20 }), async (history, all, cut) => {
        run += 1;
        const at = (name: string) => join(folder, `${run}-${name}`);
        const original = at('store.db');
        const lines = toNdjson(history);
        if (lines.length > 0) await importInputs(original, [sourceOf(lines)], { onConflict: 'fail' });
        await observed(original, [...all.slice(0, 1), ...all.slice(1, cut)]);
        const treeOf = async (store: string, out: string) => {
          await build(store, { out, site: SITE, html: true });
          return pagesIn(out);
        };
        const tree = await treeOf(original, at('out'));
        for (const [name, write] of PACKAGES) {
          await pack(write, original, at('out'), at(name));
          await restore(at(name), at(`${name}.db`));
          expect(differences(await treeOf(at(`${name}.db`), at(`${name}-out`)), tree), name).toEqual([]);
          expect(fingerprintOf(at(`${name}.db`)), name).toBe(fingerprintOf(original));
        }
        await pack(undefined, at('history.ndjson.db'), at('out'), at('again.ndjson'));
        expect(readFileSync(at('again.ndjson'))).toEqual(readFileSync(at('history.ndjson')));
        const later = await observed(original, all.slice(cut));
        const next = await treeOf(original, at('out'));
        if (all === NIGHTS) expect([...next.values()].join().match(/Changed between/g)).toHaveLength(2);
        for (const [name] of PACKAGES) {
          expect(await observed(at(`${name}.db`), all.slice(cut)), name).toEqual(later);
          expect(differences(await treeOf(at(`${name}.db`), at(`${name}-out`)), next), name).toEqual([]);
          expect(fingerprintOf(at(`${name}.db`)), name).toBe(fingerprintOf(original));
        }
        for (const file of PACKAGES.flatMap(([name]) => [name, `${name}.db`, `${name}-out`])) rmSync(at(file), { recursive: true });
      }),
      { numRuns: times('generated stores', 3, 50), examples: [[{ records: [], accounts: [] }, NIGHTS, 3]] },
    );
  });
});

const at = (day: number, more: object) => JSON.stringify({ observed_at: `2024-03-0${day}T00:00:00Z`, ...more });
const OBSERVED = [
  at(1, { id: '1', screen_name: 'nina', bio: 'a' }),
  at(1, { id: '2', screen_name: 'gone', bio: 'b' }),
  at(2, { id: '1', screen_name: 'nina_k', bio: 'b' }),
];
const RENAMED = at(3, { id: '1', screen_name: 'nina_new', bio: 'c' });

describe('palimpsest archive', () => {
  const cwd = folderOfFile();
  const command = (...args: string[]) => palimpsestHere(args, { cwd });
  it('says what the package lacks, and --identities adds it: a renamed account goes on', async () => {
    const [form, name, store, out] = ['wacz', 'history.wacz', 'store.db', 'out'];
    await palimpsestJson(['observe', '-', '--store', store], { cwd, input: OBSERVED.join('\n') });
    await palimpsestJson(['remove', 'gone', '--yes', '--store', store], { cwd });
    await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', SITE.base_url], { cwd });
    const bare = `bare-${name}`;
    expect(await command('archive', form, '--out', out, '--to', bare)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ 2 records of 1 account at .*the archive lacks 1 stable id and 1 former handle/s),
    });
    const told = await palimpsestJson(['archive', form, '--out', out, '--to', name, '--identities', '--store', store], { cwd });
    expect(told).toMatchObject({ identities: true, stable_id_count: 1, former_handle_count: 1 });
    const renamed = async (path: string) => {
      const copy = `${path}.db`;
      await palimpsestJson(['import', path, '--store', copy, '--require-complete'], { cwd });
      const { accounts_by_outcome, excluded } = await palimpsestJson(['observe', '-', '--store', copy, '--min-accounts', '0%'], {
        cwd,
        input: [RENAMED, at(3, { id: '2', screen_name: 'gone', bio: 'c' })].join('\n'),
      });
      return { accounts_by_outcome, excluded };
    };
    expect(await renamed(bare)).toMatchObject({ accounts_by_outcome: { added: 2, renamed: 0 } });
    expect(await renamed(name)).toMatchObject({ accounts_by_outcome: { added: 0, renamed: 1 } });
    copyFileSync(join(cwd, store), join(cwd, 'later.db'));
    await palimpsestJson(['observe', '-', '--store', 'later.db', '--min-accounts', '0%'], { cwd, input: RENAMED });
    expect(await command('archive', form, '--out', out, '--to', `later-${name}`, '--identities', '--store', 'later.db')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('(store-diverged)'),
    });
  });
});

describe.each(['wacz', 'warc', 'bag'])('palimpsest archive %s', (form) => {
  it('refuses a tree with an account that was removed from the store after the build', async () => {
    const [cwd, to] = [temporaryFolder(), form === 'bag' ? 'bag' : `a.${form}`];
    await palimpsestJson(['observe', '-'], { cwd, input: OBSERVED.join('\n') });
    await palimpsestJson(['build'], { cwd });
    await palimpsestJson(['remove', 'gone', '--yes'], { cwd });
    const { code, stderr } = await palimpsestHere(['archive', form, '--to', to], { cwd });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/\(store-diverged\).*1 removed account.*palimpsest.js build` first/s)]);
    // the tree is of no state of this store
    await palimpsestJson(['observe', '-', '--store', 'other.db'], { cwd, input: OBSERVED[1] ?? '' });
    await palimpsestJson(['remove', 'gone', '--yes', '--store', 'other.db'], { cwd });
    const other = await palimpsestHere(['archive', form, '--to', to, '--store', 'other.db'], { cwd });
    expect([other.code, other.stderr]).toEqual([3, expect.stringMatching(/\(store-diverged\).*1 removed account.*with --store/s)]);
    expect(existsSync(join(cwd, to))).toBe(false);
    await palimpsestJson(['build'], { cwd });
    expect(await palimpsestHere(['archive', form, '--to', to], { cwd })).toMatchObject({ code: 0 });
  });
});
