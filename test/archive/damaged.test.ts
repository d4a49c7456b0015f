import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import type { InputError } from '../../src/sources/source.ts';
import { idsIn } from '../mirror/mirrored.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { isFull, isOne } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { archiveOf, SAMPLE, treeOf } from './archived.ts';
import { BASE, bomb, capture, http, idsDown, importFile, pagesOf } from './written.ts';

/** Nine pages of the feed and one of the accounts. The account has no records, so each record is on one page only. */
const PAGES = pagesOf(idsDown(90));
const records = [...PAGES].map(([target, body]) => {
  const alone = body.replace(/"data":\[.*?\],"data_page_count"/, '"data":[],"data_page_count"');
  return capture(target, http(200, target === '/rest/account/' ? alone : body));
});
/** The ids on all pages except those that these records of the WARC have. */
const idsWithout = (...lost: readonly number[]) => idsDown(90).filter((id) => !lost.includes(Math.floor((90 - id) / 10)));

const FORMS = { 'a.warc': records, 'a.warc.gz': records.map((record) => gzipSync(record)) } as const;
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
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  const damage: InputError[] = [];
  const onReject = (inputError: InputError) => {
    throw new Failure(inputError.code, inputError.found);
  };
  const { ids, report } = await importFile(path, (inputError) => void damage.push(inputError), { onReject });
  return { ids, damage, pages: report?.pages, damaged: report?.damaged_parts };
}

/** The position of the first byte of a record. */
const startOf = (name: Name, index: number) => FORMS[name].slice(0, index).reduce((sum, { length }) => sum + length, 0);
const whole = (name: Name) => Buffer.concat(FORMS[name]);

/** A damage: what it does to the bytes, the records that are lost, and the record at which it is reported. */
type Damage = readonly [name: string, change: (bytes: Buffer, name: Name) => Buffer, lost: readonly number[], at: number];
const DAMAGES: readonly Damage[] = [
  [
    'a changed record',
    (bytes, name) => {
      const [start, next] = [startOf(name, 3), startOf(name, 4)];
      const middle = Math.floor((start + next) / 2);
      bytes.fill(0xff, middle, middle + 30);
      if (name === 'a.warc') bytes.write('WARC/9.9', start, 'latin1');
      return bytes;
    },
    [3],
    3,
  ],
  [
    'bytes that are missing',
    (bytes, name) => Buffer.concat([bytes.subarray(0, startOf(name, 2) + 300), bytes.subarray(startOf(name, 4) + 100)]),
    [2, 3, 4],
    2,
  ],
  ['a file that is cut short', (bytes, name) => bytes.subarray(0, startOf(name, 6) - 40), [5, 6, 7, 8], 5],
  ['a damaged first record', (bytes) => bytes.fill(0, 0, 20), [0], 0],
  [
    'bytes that are no record',
    (bytes, name) => {
      const at = startOf(name, 4);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from('\nother bytes\r\n'), Buffer.alloc(5000, 0x1f), bytes.subarray(at)]);
    },
    [],
    4,
  ],
];

describe.each(NAMES)('import of a damaged %s with a rejects file', (name) => {
  it.each(DAMAGES)('imports the records before and after %s, and reports its position', async (_, change, lost, at) => {
    const { ids, damage } = await salvage(name, change(whole(name), name));
    expect(ids).toEqual(idsWithout(...lost));
    expect(damage[0]).toMatchObject({ code: 'bad-archive', place: { file: expect.stringMatching(/a\.warc/), byte: startOf(name, at) } });
  });

  it('imports only complete records, whatever byte was changed', async () => {
    const bytes = whole(name);
    for (let at = 20; at < bytes.length; at += Math.ceil(bytes.length / (isFull ? 300 : 10))) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      const outcome = await salvage(name, changed).catch((error: unknown) => error);
      // a change in the text of an uncompressed record without a digest is a value that cannot be imported, or another value
      if (outcome instanceof Error) {
        expect(name, `byte ${at}: ${outcome.message}`).toBe('a.warc');
        continue;
      }
      const { ids, damage, damaged } = outcome as Salvaged;
      expect(damaged).toBe(damage.length);
      // the date in a gzip header means nothing
      if (name === 'a.warc.gz' && damage.length !== 1) expect([damage, ids], `byte ${at}`).toEqual([[], idsDown(90)]);
      expect(ids.length, `byte ${at}`).toBeGreaterThanOrEqual(80);
    }
  });
});

describe('import of a damaged archive with a rejects file', () => {
  const page = http(200, PAGES.get('/rest/data/?page=4') ?? '');

  it.each(['WARC-Block-Digest', 'WARC-Payload-Digest'])('skips a record whose %s is wrong', async (header) => {
    const wrong = capture('/rest/data/?page=4', page, { [header]: `sha256:${'0'.repeat(64)}` });
    const { ids, damage } = await salvage('a.warc', Buffer.concat(records.with(3, wrong)));
    expect(ids).toEqual(idsWithout(3));
    const expected = expect.stringContaining(`${BASE}/rest/data/?page=4`);
    expect(damage).toMatchObject([{ expected, place: { byte: startOf('a.warc', 3) } }]);
  });

  it('takes an older capture of a page if the newer one is damaged', async () => {
    const older = capture('/rest/data/?page=4', page, { 'WARC-Date': '2025-01-01T00:00:00Z' });
    const members = [...FORMS['a.warc.gz'].with(3, gzipSync(records[3] ?? '').fill(0xff, 200, 220)), gzipSync(older)];
    expect((await salvage('a.warc.gz', Buffer.concat(members))).ids).toEqual(idsDown(90));
  });

  it.skipIf(isOne)('still refuses an archive that expands to more than a thousand times its size', async () => {
    const expected = 'data that expands at most 1000 times';
    await expect(salvage('a.warc.gz', bomb())).rejects.toMatchObject({ code: 'bad-encoding', expected });
  });

  it('still refuses an archive without a page', async () => {
    await expect(salvage('a.warc.gz', gzipSync(records[0] ?? '').subarray(0, 200))).rejects.toMatchObject({ code: 'bad-archive' });
  });
});

describe('palimpsest import --rejects of a damaged WACZ', () => {
  const folder = folderOfFile();
  let wacz: Buffer;
  let all: number;
  beforeAll(async () => {
    const out = await treeOf(folder, SAMPLE, ['--page-size', '10']);
    wacz = readFileSync(await archiveOf(out, 'wacz', join(folder, 'a.wacz')));
    all = idsIn(join(folder, 'store.db')).length;
  });

  /** Writes a WACZ into a new folder. Imports it with --rejects and more options. */
  function prepare(bytes: Buffer) {
    const work = temporaryFolder();
    const [path, store, rejects] = [join(work, 'a.wacz'), join(work, 'store.db'), join(work, 'rejects.ndjson')];
    writeFileSync(path, bytes);
    const args = ['import', path, '--store', store];
    const run = (...more: string[]) => palimpsestHere([...args, '--rejects', rejects, ...more]);
    const lines = () => readFileSync(rejects, 'utf8').trim().split('\n');
    return { path, store, rejects, args, run, lines };
  }

  it('imports the other pages, writes the damage to the file, and exits with 1; without --rejects it changes nothing', async () => {
    const damaged = Buffer.from(wacz);
    damaged.fill(0xff, 6000, 6020);
    const { path, store, args, run, lines } = prepare(damaged);
    expect(await palimpsestHere(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('--rejects') });
    expect(existsSync(store)).toBe(false);
    const { code, stdout, stderr } = await run('--json');
    expect([code, stderr]).toEqual([1, expect.stringContaining('damaged')]);
    const { archives, records_by_outcome: records } = JSON.parse(stdout);
    expect(archives).toMatchObject([{ damaged_parts: 2 }]);
    // the accounts also have records of the damaged page
    expect(records.added).toBeGreaterThan(all - 11);
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([
      { code: 'bad-archive', file: path, found: 'another hash' },
      { code: 'bad-archive', file: `${path}/archive/data.warc.gz`, byte: expect.any(Number) },
    ]);
    // a repeated run adds no line twice, and a line is not an item
    expect((await run()).code).toBe(1);
    expect(lines()).toHaveLength(2);
    expect((await run('--require-complete', '--on-conflict', 'keep')).code).toBe(1);
  });

  it('imports the complete records of one that is cut short', async () => {
    const half = Math.floor(wacz.length / 2);
    const { path, run, lines } = prepare(wacz.subarray(0, half));
    const { code, stdout } = await run('--json');
    const { archives, records_by_outcome: records } = JSON.parse(stdout);
    expect([code, archives.length, archives[0].pages > 10, records.added > 100]).toEqual([1, 1, true, true]);
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ code: 'bad-archive', file: path, byte: half });
  });
});
