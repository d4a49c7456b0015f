import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { importInputs } from '../../src/import/import.ts';
import { openArchives } from '../../src/sources/archives/open-archives.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import type { InputError } from '../../src/sources/source.ts';
import { idsIn } from '../mirror/mirrored.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { archiveOf, folderForFile, SAMPLE, treeOf } from './archived.ts';
import { BASE, capture, http, idsDown, pagesOf, warcRecord } from './written.ts';

/** Nine pages of the feed and one of the accounts. The account has no records, so each record is on one page only. */
const PAGES = pagesOf(idsDown(90));
const records = [...PAGES].map(([target, body]) =>
  capture(
    target,
    http(200, target === '/rest/account/' ? body.replace(/"data":\[.*?\],"data_page_count"/, '"data":[],"data_page_count"') : body),
  ),
);
/** The ids on the page that a record of the WARC has. */
const idsOf = (index: number) => idsDown(90 - 10 * index, 81 - 10 * index);

const FORMS = {
  'a.warc': records,
  'a.warc.gz': records.map((record) => gzipSync(record)),
} as const;
type Name = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as Name[];

interface Salvaged {
  readonly ids: readonly number[];
  readonly damage: readonly InputError[];
  readonly pages: number | undefined;
  readonly damaged: number | undefined;
}

/** Imports a file into a new store, and lists the damage. */
async function salvage(name: string, bytes: Buffer): Promise<Salvaged> {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const damage: InputError[] = [];
  const { inputs, reports, close } = await openArchives(inputsOf([path], process.stdin), (inputError) => void damage.push(inputError));
  const store = join(folder, 'store.db');
  const onReject = (inputError: InputError) => {
    throw new Failure(inputError.code, inputError.found);
  };
  await importInputs(store, inputs, { onConflict: 'fail', onReject });
  close();
  return { ids: idsIn(store), damage, pages: reports[0]?.pages, damaged: reports[0]?.damaged };
}

/** The position of the first byte of a record. */
function startOf(name: Name, index: number): number {
  return FORMS[name].slice(0, index).reduce((sum, { length }) => sum + length, 0);
}

const whole = (name: Name) => Buffer.concat(FORMS[name]);

describe.each(NAMES)('import of a damaged %s with a rejects file', (name) => {
  it('imports the records before and after one that was changed, and reports its position', async () => {
    const start = startOf(name, 3);
    const bytes = whole(name);
    const middle = Math.floor((start + startOf(name, 4)) / 2);
    bytes.fill(0xff, middle, middle + 30);
    if (name === 'a.warc') bytes.write('WARC/9.9', start, 'latin1');
    const { ids, damage, damaged, pages } = await salvage(name, bytes);
    expect(ids).toEqual(idsDown(90).filter((id) => !idsOf(3).includes(id)));
    expect([damaged, pages]).toEqual([1, 9]);
    expect(damage).toMatchObject([{ code: 'bad-archive', place: { file: expect.stringMatching(/a\.warc(\.gz)?$/), byte: start } }]);
  });

  it('imports the records before and after bytes that are missing', async () => {
    const bytes = whole(name);
    const [from, to] = [startOf(name, 2) + 300, startOf(name, 4) + 100];
    const { ids, damage } = await salvage(name, Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));
    const lost = [2, 3, 4].flatMap(idsOf);
    expect(ids).toEqual(idsDown(90).filter((id) => !lost.includes(id)));
    expect(damage[0]).toMatchObject({ place: { byte: startOf(name, 2) } });
  });

  it('imports the records before the place at which it is cut short', async () => {
    const { ids, damage } = await salvage(name, whole(name).subarray(0, startOf(name, 6) - 40));
    expect(ids).toEqual([0, 1, 2, 3, 4].flatMap(idsOf));
    expect(damage).toMatchObject([{ place: { byte: startOf(name, 5) } }]);
  });

  it('imports the other records if the first one is damaged', async () => {
    const bytes = whole(name);
    bytes.fill(0, 0, 20);
    const { ids, damage } = await salvage(name, bytes);
    expect(ids).toEqual(idsDown(80));
    expect(damage).toMatchObject([{ place: { byte: 0 } }]);
  });

  it('skips bytes that are not a record', async () => {
    const at = startOf(name, 4);
    const bytes = Buffer.concat([
      whole(name).subarray(0, at),
      Buffer.from('\nother bytes\r\n'),
      Buffer.alloc(5000, 0x1f),
      whole(name).subarray(at),
    ]);
    const { ids, damage } = await salvage(name, bytes);
    expect(ids).toEqual(idsDown(90));
    expect(damage).toMatchObject([{ place: { byte: at } }]);
  });

  it('imports only complete records, whatever byte was changed', async () => {
    const bytes = whole(name);
    const step = Math.ceil(bytes.length / 30);
    for (let at = 20; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      const outcome = await salvage(name, changed).catch((error: unknown) => error);
      // a change in the text of an uncompressed record without a digest is a value that cannot be imported, or another value
      if (outcome instanceof Error) {
        expect(name, `byte ${at}: ${outcome.message}`).toBe('a.warc');
        continue;
      }
      const { ids, damage } = outcome as Salvaged;
      // the date in a gzip header means nothing
      if (name === 'a.warc.gz' && damage.length !== 1) expect([damage, ids], `byte ${at}`).toEqual([[], idsDown(90)]);
      expect(ids.length, `byte ${at}`).toBeGreaterThanOrEqual(80);
    }
  });
});

describe('import of a damaged archive with a rejects file', () => {
  it('skips a record whose digest of the block or of the body is wrong', async () => {
    for (const header of ['WARC-Block-Digest', 'WARC-Payload-Digest']) {
      const wrong = capture('/rest/data/?page=4', http(200, PAGES.get('/rest/data/?page=4') ?? ''), {
        [header]: `sha256:${'0'.repeat(64)}`,
      });
      const { ids, damage } = await salvage('a.warc', Buffer.concat(records.with(3, wrong)));
      expect(ids).toEqual(idsDown(90).filter((id) => !idsOf(3).includes(id)));
      expect(damage).toMatchObject([
        { expected: expect.stringContaining(`${BASE}/rest/data/?page=4`), place: { byte: startOf('a.warc', 3) } },
      ]);
    }
  });

  it('takes an older capture of a page if the newer one is damaged', async () => {
    const older = capture('/rest/data/?page=4', http(200, PAGES.get('/rest/data/?page=4') ?? ''), { 'WARC-Date': '2025-01-01T00:00:00Z' });
    const members = [...FORMS['a.warc.gz'].with(3, gzipSync(records[3] ?? '').fill(0xff, 200, 220)), gzipSync(older)];
    expect((await salvage('a.warc.gz', Buffer.concat(members))).ids).toEqual(idsDown(90));
  });

  it('still refuses an archive that expands to hundreds of times its size, and one without a page', async () => {
    const bomb = warcRecord(
      { 'WARC-Type': 'response', 'WARC-Target-URI': `${BASE}/rest/data/`, 'WARC-Date': '2026-01-01T00:00:00Z' },
      Buffer.alloc(1 << 27),
    );
    await expect(salvage('a.warc.gz', gzipSync(bomb, { level: 9 }))).rejects.toMatchObject({
      code: 'bad-archive',
      expected: expect.stringContaining('250'),
    });
    await expect(salvage('a.warc.gz', Buffer.concat([gzipSync(records[0] ?? '').subarray(0, 200)]))).rejects.toMatchObject({
      code: 'bad-archive',
    });
  });
});

describe('palimpsest import --rejects of a damaged WACZ', () => {
  let wacz: Buffer;
  let all: number;
  beforeAll(async () => {
    const folder = folderForFile();
    const out = await treeOf(folder, SAMPLE, ['--page-size', '10']);
    wacz = readFileSync(await archiveOf(out, 'wacz', join(folder, 'a.wacz')));
    all = idsIn(join(folder, 'store.db')).length;
  });

  it('imports the other pages, writes the damage to the file, and exits with 1; without --rejects it changes nothing', async () => {
    const folder = temporaryFolder();
    const [path, store, rejects] = [join(folder, 'a.wacz'), join(folder, 'store.db'), join(folder, 'rejects.ndjson')];
    const damaged = Buffer.from(wacz);
    damaged.fill(0xff, 6000, 6020);
    writeFileSync(path, damaged);
    const args = ['import', path, '--store', store];
    expect(await palimpsestHere(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('--rejects') });
    expect(existsSync(store)).toBe(false);
    const { code, stdout, stderr } = await palimpsestHere([...args, '--rejects', rejects, '--json']);
    expect(code).toBe(1);
    expect(stderr).toContain('damaged');
    const { archives, records } = JSON.parse(stdout);
    expect(archives).toMatchObject([{ damaged: 2 }]);
    // the accounts also have records of the damaged page
    expect(records.added).toBeGreaterThan(all - 11);
    const lines = readFileSync(rejects, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { code: 'bad-archive', file: path, found: 'another hash' },
      { code: 'bad-archive', file: `${path}/archive/data.warc.gz`, byte: expect.any(Number) },
    ]);
    // a repeated run adds no line twice, and a line is not an item
    expect((await palimpsestHere([...args, '--rejects', rejects])).code).toBe(1);
    expect(readFileSync(rejects, 'utf8').trim().split('\n')).toHaveLength(2);
    expect((await palimpsestHere([...args, '--rejects', rejects, '--require-complete', '--on-conflict', 'keep'])).code).toBe(1);
  });

  it('imports the complete records of one that is cut short', async () => {
    const folder = temporaryFolder();
    const [path, rejects] = [join(folder, 'a.wacz'), join(folder, 'rejects.ndjson')];
    writeFileSync(path, wacz.subarray(0, Math.floor(wacz.length / 2)));
    const { code, stdout } = await palimpsestHere(['import', path, '--store', join(folder, 's.db'), '--rejects', rejects, '--json']);
    const { archives, records } = JSON.parse(stdout);
    expect([code, archives.length, archives[0].pages > 10, records.added > 100]).toEqual([1, 1, true, true]);
    const [first] = readFileSync(rejects, 'utf8').split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ code: 'bad-archive', file: path, byte: Math.floor(wacz.length / 2) });
  });

  it('refuses one with a hostile file name', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a.wacz');
    writeFileSync(path, Buffer.from(wacz.toString('latin1').replaceAll('pages/pages.jsonl', '../pages/pages.js'), 'latin1'));
    const { code, stdout } = await palimpsestHere([
      'import',
      path,
      '--store',
      join(folder, 's.db'),
      '--rejects',
      join(folder, 'r'),
      '--json',
    ]);
    expect([code, JSON.parse(stdout).error]).toMatchObject([1, { code: 'bad-archive', found: expect.stringContaining('../pages') }]);
    expect(existsSync(join(folder, 's.db'))).toBe(false);
  });

  it('reads an undamaged archive as without the option', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a.wacz');
    writeFileSync(path, wacz);
    const rejects = join(folder, 'r.ndjson');
    const { archives, records } = await palimpsestJson(['import', path, '--store', join(folder, 's.db'), '--rejects', rejects]);
    expect([records, archives, existsSync(rejects)]).toMatchObject([{ added: all }, [{ damaged: 0 }], false]);
  });
});
