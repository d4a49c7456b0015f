import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeRecord } from '../../src/warc/encode-record.ts';
import { record } from '../mirror/canned-service.ts';
import { zipOf } from '../support/archives.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const seen = (day: number, screen_name: string, id: string, bio: string) =>
  line({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name, id, bio, display_name: screen_name === 'bob' ? 'Bob' : 'Nina Of Old' });

/** Two accounts. One had another handle before. */
const SNAPSHOTS =
  seen(1, 'nina_old', 'id-of-nina', 'an older secret') + seen(2, 'Nina_K', 'id-of-nina', 'a secret bio') + seen(2, 'bob', '7', 'b');
const SECRETS = ['nina_old', 'Nina_K', 'id-of-nina', 'secret', 'Nina Of Old'];

const JSON_BODY = line({ note: 'see nina_k' });
/** Returns a WARC with a response. */
const warcWith = (headers: string, body: Buffer | string) => {
  const block = [Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`), Buffer.from(body)];
  return Buffer.concat(
    encodeRecord({ type: 'response', id: '<urn:uuid:1>', date: '2024-01-01T00:00:00Z', url: 'https://a.example/', block }),
  );
};
const GZIPPED = warcWith('Content-Encoding: gzip', gzipSync(JSON_BODY));

/** Returns functions that run commands in a folder with a store. */
async function home(snapshots = SNAPSHOTS) {
  const cwd = temporaryFolder();
  const run = (...args: string[]) => palimpsestJson(args, { cwd });
  await palimpsestJson(['observe', '-'], { cwd, input: snapshots });
  const removing = async (...args: string[]) => {
    const { code, stdout } = await palimpsestHere(['remove', ...args, '--json'], { cwd });
    return { code, ...JSON.parse(stdout) };
  };
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  return { cwd, run, removing, read };
}

const place = (name: string, form: string, isFound: boolean) => expect.objectContaining({ place: name, form, is_found: isFound });

describe('remove with --receipt and --check', () => {
  it('finds the account in a site of pages, says what to do, and later proves that no byte is left', async () => {
    const { cwd, run, removing, read } = await home();
    await run('build', '--html', '--account-feeds', '--compress', 'gzip,brotli');
    await run('publish', 'pub', '--allow-loopback');
    await run('archive', 'bag', '--to', 'bag');
    const first = await removing('nina_k', '--yes', '--check', 'out', '--check', 'pub', '--receipt', 'receipt.txt');
    expect(first).toMatchObject({ code: 1, found_places: 2, results: [{ records: 3 }] });
    const [store, ...copies] = first.checks;
    expect(store).toMatchObject({ form: 'store', with_account: [], with_handle: [], is_found: false });
    expect(copies).toEqual([place('out', 'tree', true), place('pub', 'pages', true)]);
    for (const path of ['rest/account/index.json', 'rest/data/index.json.br', 'browse/changes.atom', 'index.html'])
      expect(copies[0].with_account).toContain(path);
    const receipt = read('receipt.txt');
    expect(receipt).toMatch(/^ {2}out: .*palimpsest.*build$/m);
    expect(receipt).toMatch(/^ {2}pub: .*publish pub --allow-gaps$/m);
    expect(receipt).toMatch(/^ {2}backups of the store \(not searched\): .*store push TARGET --keep-last 1$/m);
    expect(receipt).toContain('\n2 places have it, 0 were not searched completely\n');
    expect(receipt).toContain('lists of accounts to fetch');
    expect(receipt).toMatch(/: 1 account with 3 records removed by this run\nexcluded since: 2/);
    expect(SECRETS.filter((text) => receipt.includes(text))).toEqual([]);

    await run('build');
    await run('publish', 'pub', '--allow-loopback', '--allow-gaps');
    await run('archive', 'wacz', '--to', 'clean.wacz');
    const names = ['nina_k', 'nina_old'];
    const clean = await removing(...names, '--check', 'out', '--check', 'pub', '--check', 'clean.wacz', '--receipt', 'receipt.json');
    expect(clean).toMatchObject({ code: 0, known: names, found_places: 0 });
    await removing('nina_k', '--receipt', 'receipt.txt');
    expect(read('receipt.txt')).toMatch(/palimpsest\.db: removed by an earlier run: nina_k\nexcluded since: 2/);
    expect(read('receipt.txt')).not.toContain('by this run');
    expect(JSON.parse(read('receipt.json'))).toMatchObject({
      names,
      known: names,
      erased: true,
      found_places: 0,
      checks: [
        { with_account: [] },
        { place: 'out', with_account: [], with_handle: [], unread: [] },
        { place: 'pub', with_account: [] },
        { unread: [] },
      ],
      remaining: [{ copy: 'backups of the store (not searched)' }],
    });

    // what runs and people leave beside it is found, also under the former handle that nobody named
    writeFileSync(join(cwd, 'pub', 'left.ndjson.gz'), gzipSync(line({ account: 'NINA_OLD', text: 'cut' }).slice(0, -4)));
    mkdirSync(join(cwd, 'pub', '.palimpsest'));
    writeFileSync(join(cwd, 'pub', '.palimpsest', 'x.draft'), '<a href="../account/62/nina_old.html#r1">a secret');
    writeFileSync(join(cwd, 'pub', 'notes.txt'), 'call nina_k');
    const left = await removing('nina_k', '--check', 'pub', '--check', 'bag');
    expect(left).toMatchObject({
      code: 1,
      checks: [{}, { with_account: ['.palimpsest/x.draft', 'left.ndjson.gz'], with_handle: ['notes.txt'] }, { place: 'bag', form: 'file' }],
    });
  });

  it('finds the account in each version of a site and of the store, also in those that are not listed', async () => {
    const { cwd, run, removing } = await home();
    const publish = ['publish', 'site', '--out', 'h.zip', '--allow-loopback'];
    await run('build', '--out', 'h.zip', '--html', '--account-feeds');
    await run(...publish);
    await run('store', 'push', 'backup');
    const copies = ['--check', 'h.zip', '--check', 'site', '--check', 'backup'];
    const first = await removing('nina_k', '--yes', ...copies, '--receipt', 'first.json');
    expect(first.checks.slice(1)).toEqual([place('h.zip', 'tree', true), place('site', 'site', true), place('backup', 'store', true)]);
    const receipt = readFileSync(join(cwd, 'first.json'), 'utf8');
    expect(SECRETS.filter((text) => receipt.includes(text))).toEqual([]);
    const commands = JSON.parse(receipt).remaining.map(({ command }: { readonly command: string }) =>
      command.replace(/^.*palimpsest\.js /, ''),
    );
    expect(commands).toEqual(['build --out h.zip', 'publish site --out ZIP', 'store push backup --keep-last 1']);

    await run('build', '--out', 'h.zip');
    await run(...publish);
    // a push keeps earlier versions, which have the account
    await run('store', 'push', 'backup');
    expect(await removing('nina_k', ...copies)).toMatchObject({ code: 1, found_places: 1, checks: [{}, {}, {}, { place: 'backup' }] });
    await run('store', 'push', 'backup', '--keep-last', '1');
    expect(await removing('nina_k', ...copies, '--receipt', 'done.txt')).toMatchObject({ code: 0, found_places: 0 });
    expect(readFileSync(join(cwd, 'done.txt'), 'utf8')).not.toContain('Remaining to be done');
    expect(await removing('id:id-of-nina', ...copies)).toMatchObject({ code: 0, found_places: 0 });

    writeFileSync(join(cwd, 'site', 'damaged.zip'), readFileSync(join(cwd, 'h.zip')).subarray(0, 3000));
    writeFileSync(join(cwd, 'site', 'packed.ndjson.zst'), '\x28\xb5\x2f\xfd', 'latin1');
    expect(await removing('nina_k', '--check', 'site')).toMatchObject({
      code: 1,
      found_places: 0,
      unsearched_places: 1,
      checks: [
        {},
        {
          unread: [
            { path: 'damaged.zip', reason: expect.stringMatching(/./) },
            { path: 'packed.ndjson.zst', reason: expect.stringMatching(/^no text in UTF-8/) },
          ],
          is_found: false,
          is_searched: false,
        },
      ],
    });
  });

  it('does not take a mention by another account, or the history of one that had the handle before, for the account', async () => {
    const { cwd, run, removing } = await home(seen(1, 'nina_k', 'id-of-bob', 'was here') + seen(2, 'bob', 'id-of-bob', 'was here'));
    const input = seen(3, 'nina_k', 'id-of-nina', 'a secret') + seen(3, 'zoe', '4', '') + seen(3, 'al', '3', 'I met @nina_k and @zoe');
    await palimpsestJson(['observe', '-'], { cwd, input });
    await run('build', '--html');
    // the handle alone would now mean the account that had it before
    const names = ['id:id-of-nina', 'zoe'];
    expect(await removing(...names, '--yes', '--check', 'out')).toMatchObject({ code: 1, found_places: 1, mentions: { certain: 1 } });
    await run('build');
    expect(await removing(...names, '--check', 'out')).toMatchObject({
      code: 0,
      found_places: 0,
      checks: [{}, { with_account: [], with_handle: expect.arrayContaining(['rest/data/index.json']), is_found: false }],
    });
  });

  it('does not remove another account that had a handle of the removed account', async () => {
    const renamed = seen(1, 'mary', '1', 'x') + seen(2, 'mary2', '1', 'x') + seen(3, 'mary', '2', 'y') + seen(4, 'john', '2', 'y');
    const { cwd, run, removing } = await home(renamed);
    await run('remove', 'id:1', '--yes');
    writeFileSync(join(cwd, 'clean.txt'), 'nobody');
    const check = ['--check', 'clean.txt'];
    expect(await removing('id:1', ...check)).toMatchObject({ code: 1, unsearched_places: 1 });
    const names = ['id:1', 'mary', 'mary2'];
    const searched = { code: 0, results: [], known: names, namesakes: ['john'], unsearched_places: 0 };
    expect(await removing(...names, ...check)).toMatchObject(searched);
    expect(await removing(...names, ...check, '--yes')).toMatchObject(searched);
    expect(await removing(...names, '--receipt', 'r.txt', '--yes')).toMatchObject({ code: 0, results: [] });
    expect(await run('accounts')).toMatchObject({ results: [{ screen_name: 'john' }] });

    const { error } = await removing('john', ...check);
    expect(error).toMatchObject({
      code: 'not-confirmed',
      expected: expect.stringMatching(/^names of removed accounts, because --check/),
    });
    expect(error.hint).not.toContain('--yes');
  });

  it('does not remove the account that has a handle of the removed account now', async () => {
    const { cwd, run, removing } = await home(seen(1, 'mary', '1', 'x') + seen(2, 'mary2', '1', 'x') + seen(3, 'mary', '2', 'y'));
    expect(await run('remove', 'id:1', '--yes')).toMatchObject({ shared: ['mary'] });
    writeFileSync(join(cwd, 'clean.txt'), 'nobody');
    // the advice after an interrupted removal is to name all handles of the account again
    const searched = { results: [], known: ['mary2', 'id:1'], namesakes: ['mary'] };
    expect(await removing('mary2', 'mary', 'id:1', '--check', 'clean.txt', '--yes')).toMatchObject(searched);
    expect(await run('accounts')).toMatchObject({ results: [{ screen_name: 'mary', stable_id: '2' }] });
    // a stable id is of one account only
    expect(await removing('id:1', 'id:2', '--check', 'clean.txt', '--yes')).toMatchObject({ results: [{ screen_name: 'mary' }] });
  });

  it('is refused before the removal: with a dry run, without the copy, and for a receipt over another file', async () => {
    const { cwd, removing, run } = await home();
    mkdirSync(join(cwd, 'empty'));
    expect(await removing('nina_k', '--dry-run', '--receipt', 'r.txt')).toMatchObject({ code: 2, error: { code: 'usage' } });
    expect(await removing('nina_k', '--yes', '--check', 'missing')).toMatchObject({ code: 1, error: { code: 'no-source' } });
    expect(await removing('nina_k', '--yes', '--receipt', 'missing/r.txt')).toMatchObject({ code: 1, error: { code: 'no-source' } });
    const store = join('data', 'palimpsest.db');
    for (const other of [store, 'empty'])
      expect(await removing('nina_k', '--yes', '--receipt', other)).toMatchObject({ code: 3, error: { code: 'not-ours', file: other } });
    expect(await run('accounts')).toMatchObject({ results: [{}, {}] });
    expect(await removing('nina_k', '--yes', '--receipt', 'r.txt')).toMatchObject({ code: 0 });
    expect(await removing('nina_k', '--check', 'empty')).toMatchObject({ code: 1, error: { code: 'no-source' } });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    expect(await removing('nina_k', '--check', 'pipe')).toMatchObject({ code: 1, error: { code: 'no-source' } });
  });

  it('names the removed handles in the error if the receipt cannot be written after the removal', async () => {
    const { cwd, removing } = await home();
    const path = join(cwd, 'r.txt');
    vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
      throw new Error('a full disk');
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const hint = expect.stringMatching(/--receipt.*; write down .*only their hashes now: Nina_K, nina_old, id:id-of-nina$/);
    const error = { code: 'file-system', file: path, hint };
    expect(await removing('nina_k', '--yes', '--receipt', path)).toMatchObject({ code: 1, error });
    expect(await removing('nina_k', '--receipt', path)).toMatchObject({ code: 0, known: ['nina_k'] });
  });

  it('counts a name in files of other programs, although accounts of the store mention it', async () => {
    const { cwd, run, removing } = await home(SNAPSHOTS + seen(3, 'al', '3', 'I met @nina_k'));
    await run('export', 'csv', '--to', 'csv');
    const [files, store] = [join(cwd, 'files'), join('data', 'palimpsest.db')];
    mkdirSync(files);
    writeFileSync(join(files, 'clean.txt'), 'nobody');
    // this run knows the former handle
    expect(await removing('nina_k', '--yes', '--check', 'files')).toMatchObject({ code: 0 });
    const place = async (...names: string[]) => {
      const { code, checks } = await removing(...(names.length === 0 ? ['nina_k', 'nina_old'] : names), '--check', 'files');
      return { code, ...checks[1] };
    };
    const [found, unread] = ['with_handle', 'unread'] as const;
    const each: readonly (readonly [name: string, bytes: string | Buffer, where: typeof found | typeof unread | 'with_account'])[] = [
      ['records.csv', readFileSync(join(cwd, 'csv', 'records.csv')), found],
      ['spaces.json', JSON.stringify([{ account: 'nina_old' }], null, 2), 'with_account'],
      ['no-suffix', gzipSync('see Nina_K'), found],
      ['E.NDJSON.GZ', gzipSync('see nina_k'), found],
      ['dd.csv.gz', gzipSync(gzipSync('see nina_k')), found],
      ['more.gz', Buffer.concat([gzipSync('nobody'), gzipSync('nobody').subarray(1)]), unread],
      ['chunks.warc', warcWith('Transfer-Encoding: chunked', '4\r\nnina\r\n2\r\n_k\r\n0\r\n\r\n'), found],
      ['brotli.warc.gz', gzipSync(warcWith('Content-Encoding: br', brotliCompressSync(JSON_BODY))), found],
      ['other.warc', warcWith('Content-Encoding: zstd', 'x'), unread],
      ['cut.warc', GZIPPED.subarray(0, -9), unread],
      ['site.wacz', await zipOf({ 'archive/data.warc.gz': gzipSync(GZIPPED) }), found],
      ['files.zip', await zipOf({ 'a/notes.txt': 'see nina_k '.repeat(9) }), found],
      ['stored.zip', await zipOf({ '.inner.zip': await zipOf({ a: 'nina_k' }) }, { compress: false }), found],
      ['packed.zip', await zipOf({ 'a.xz': '\xfd7zXZ\0' }), unread],
      ['x.bin', Buffer.from('5d00008000ffffffffffffffff', 'hex'), unread],
      ['a.u16le', Buffer.from('nina_k', 'utf16le'), unread],
      ['latin1.txt', Buffer.from('caf\xe9', 'latin1'), unread],
      ['utf16.txt', Buffer.from('\ufeffnina_k', 'utf16le'), unread],
      ['notes.tar', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar'), Buffer.alloc(600)]), unread],
    ];
    for (const [name, bytes, where] of each) {
      writeFileSync(join(files, name), bytes);
      expect(await place(), name).toMatchObject({
        code: 1,
        is_found: where !== unread,
        is_searched: where !== unread,
        [where]: [where === unread ? { path: expect.stringContaining(name) } : expect.stringContaining(name)],
      });
      rmSync(join(files, name));
    }
    expect(await place()).toMatchObject({ code: 0, is_found: false, is_searched: true });
    // the record after one that cannot be read is searched. Only stores and ZIP files need a temporary copy
    writeFileSync(join(files, 'a.warc'), Buffer.concat([warcWith('Content-Encoding: zstd', 'x'), GZIPPED]));
    writeFileSync(join(files, 'b.zip'), await zipOf({ a: 'nobody' }));
    const noCopies = (receipt: string) =>
      palimpsestHere(['remove', 'nina_k', 'nina_old', '--check', 'files', '--receipt', receipt], {
        cwd,
        env: { TMPDIR: join(cwd, 'missing') },
      });
    expect(await noCopies('r.json')).toMatchObject({ code: 1, stderr: '' });
    const reason = expect.stringMatching(/^cannot copy it to .*missing \(TMPDIR\): ENOENT/);
    expect(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')).checks).toMatchObject([
      { unread: [{ path: store, reason }] },
      { with_handle: ['a.warc'], unread: [{ path: 'a.warc' }, { path: 'b.zip', reason }] },
    ]);
    const { stdout } = await noCopies('r.txt');
    const receipt = readFileSync(join(cwd, 'r.txt'), 'utf8');
    for (const text of [stdout, receipt])
      expect(text).toMatch(/1 cannot be searched, first data.palimpsest\.db: cannot copy it to .*missing/);
    // a store that was not searched is no target, and what was found in a file is not in question
    expect(receipt).toMatch(
      /palimpsest\.db \(not searched completely\): .*remove nina_k nina_old --check files --receipt r\.txt\n {2}files: delete it, or the account in it\n/,
    );
    for (const name of ['a.warc', 'b.zip']) rmSync(join(files, name));
    // only hashes of the other handles are known
    for (const name of ['id:id-of-nina', 'nina_k'])
      expect(await place(name), name).toMatchObject({ code: 1, is_found: false, is_searched: false });
    symlinkSync('elsewhere', join(files, 'nina_old.link'));
    expect(await place()).toMatchObject({ code: 1, unread: [{ path: '…', reason: expect.stringMatching(/^a link/) }] });
  });

  it('finds the raw documents of a service, which leave out the server of a handle, and shows neither handle nor id', async () => {
    const ids = seen(2, 'zoe@a.example', 'did:plc:abc', '') + seen(3, 'al@a.example', '1', '');
    const { cwd, removing } = await home(seen(1, 'vex@a.example', '987@a.example', 'x') + ids);
    const each: readonly (readonly [path: string, shown: string])[] = [
      ['987.json', '…'],
      ['of-987@a.example.json', '…'],
      ['vex.json', '…'],
      ['2024-03-01-did:plc:abc.ndjson', '…'],
      ['did:plc:abc.json.gz.bak', '…'],
      ['profile_did_plc_abc_2.ndjson', '…'],
      ['did:plc:abcd.json', 'did:plc:abcd.json'],
      // pages and days have such numbers, too
      ['page/1/index.json', 'page/1/index.json'],
    ];
    for (const [path, shown] of each) {
      mkdirSync(dirname(join(cwd, 'files', path)), { recursive: true });
      writeFileSync(join(cwd, 'files', path), '{"username":"vex","acct":"vex","note":"x"}');
      // also a run that knows only the hash of the id
      const checked = await removing('vex@a.example', 'zoe@a.example', 'al@a.example', '--yes', '--check', 'files');
      expect(checked, path).toMatchObject({ code: 1, found_places: 1, checks: [{}, { with_handle: [shown] }] });
      rmSync(join(cwd, 'files'), { recursive: true });
    }
  });

  it('searches the files beside the store, such as rejects', async () => {
    const { cwd, removing } = await home();
    writeFileSync(join(cwd, 'data', 'palimpsest.db-rejects.ndjson'), line({ value: record(1, { account: 'nina_k' }) }));
    expect(await removing('nina_k', '--yes', '--receipt', 'r.json')).toMatchObject({
      code: 1,
      checks: [{}, { place: join('data', 'palimpsest.db-rejects.ndjson'), form: 'file', is_found: true }],
    });
  });
});
