import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderFiles } from '../../src/shard/folder-files.ts';
import type { RunFiles } from '../../src/shard/run-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PLACES, type Places } from './places.ts';

const DIGEST = 'ab'.repeat(32);

/** Writes a file as a task does. */
async function write(files: RunFiles, name: string, bytes: Buffer): Promise<number> {
  const draft = files.begin(name);
  let sent = 0;
  try {
    writeSync(draft.descriptor, bytes);
    await draft.finish(bytes.length, DIGEST, (more) => {
      sent += more;
    });
    return sent;
  } finally {
    draft.close();
  }
}

/** Reads bytes of a file through its file descriptor. */
async function locally(files: RunFiles, name: string, from: number, length: number): Promise<Buffer> {
  const [file] = await files.open([name]);
  const { descriptor = -1, position = -1 } = (await file?.local(from, length, () => {})) ?? {};
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, position);
  file?.close();
  return bytes;
}

describe.each(PLACES)('the files of a run in $name', ({ skip, start }) => {
  let places: Places;
  beforeAll(async () => {
    if (!skip) places = await start();
  }, 120_000);
  afterAll(() => places?.stop());

  it.skipIf(skip)('keep the first text of a small file', async () => {
    const { files, contents } = await places.create();
    expect(await files.readText('run.json')).toBeUndefined();
    await Promise.all(['one', 'one', 'one'].map((text) => files.create('run.json', text)));
    await files.create('run.json', 'two');
    expect(await files.readText('run.json')).toBe('one');
    expect([...(await contents()).keys()]).toEqual(['run.json']);
  });

  it.skipIf(skip)('show a file when it is finished, and not before', async () => {
    const { files, contents } = await places.create();
    await files.create('run.json', '{}');
    const draft = files.begin('shard-00000.rows');
    writeSync(draft.descriptor, 'a part');
    expect(await files.open(['shard-00000.rows'])).toEqual([undefined]);
    draft.close();
    expect([...(await contents()).keys()]).toEqual(['run.json']);
    await write(files, 'shard-00000.rows', Buffer.from('whole'));
    expect((await contents()).get('shard-00000.rows')?.toString()).toBe('whole');
  });

  it.skipIf(skip)('return any bytes of a file, and undefined for a missing file', async () => {
    const { files } = await places.create();
    await files.create('run.json', '{}');
    const bytes = randomBytes(100_000);
    await write(files, 'a.rows', bytes);
    const [missing, file] = await files.open(['b.rows', 'a.rows']);
    expect(missing).toBeUndefined();
    expect([file?.size, file?.address]).toEqual([bytes.length, files.addressOf('a.rows')]);
    expect(await file?.read(99_990, 100)).toEqual(bytes.subarray(99_990));
    expect(await file?.read(0, 1)).toEqual(bytes.subarray(0, 1));
    file?.close();
    expect(await locally(files, 'a.rows', 5_000, 90_000)).toEqual(bytes.subarray(5_000, 95_000));
  });

  it.skipIf(skip)('take a file of many megabytes, and replace it', async () => {
    const { files, contents } = await places.create();
    await files.create('run.json', '{}');
    const bytes = randomBytes(20_000_000);
    const sent = await write(files, 'large.rows', bytes);
    expect([0, bytes.length]).toContain(sent);
    expect((await contents()).get('large.rows')?.equals(bytes)).toBe(true);
    expect(await locally(files, 'large.rows', 8_388_600, 9_000_000)).toEqual(bytes.subarray(8_388_600, 17_388_600));
    await write(files, 'large.rows', bytes.subarray(1));
    expect((await contents()).get('large.rows')?.equals(bytes.subarray(1))).toBe(true);
  });

  it.skipIf(skip)('are the same when two tasks write them at the same time', async () => {
    const { files, contents } = await places.create();
    await files.create('run.json', '{}');
    const bytes = randomBytes(10_000_000);
    await Promise.all([write(files, 'a.rows', bytes), write(files, 'a.rows', bytes)]);
    expect([...(await contents())]).toEqual([
      ['a.rows', bytes],
      ['run.json', Buffer.from('{}')],
    ]);
  });

  it.skipIf(skip)('leave no temporary file with a name', async () => {
    const { files } = await places.create();
    await files.create('run.json', '{}');
    await write(files, 'a.rows', Buffer.from('bytes'));
    await locally(files, 'a.rows', 0, 5);
    const folder = join(files.temporary, '..');
    expect(folder === tmpdir() || folder === files.address).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('-spool-') && name.startsWith('task'))).toEqual([]);
  });
});

describe('the files of a run in an object store', () => {
  const { skip = true, start } = PLACES[1] ?? {};
  let places: Places | undefined;
  beforeAll(async () => {
    if (!skip) places = await start?.();
  }, 120_000);
  afterAll(() => places?.stop());

  it.skipIf(skip)('are refused if they change while a task reads them', async () => {
    const { files, write: replace } = (await places?.create()) ?? expect.unreachable();
    await write(files, 'a.rows', Buffer.from('bytes'));
    const [file] = await files.open(['a.rows']);
    await replace('a.rows', Buffer.from('other'));
    await expect(file?.read(0, 5)).rejects.toMatchObject({ code: 'target-failed', place: { file: 'a.rows' } });
  });

  it.skipIf(skip)('are not written after a stop, which leaves no parts of them', async () => {
    const stop = new AbortController();
    const { files, contents, unfinished } = (await places?.create(stop.signal)) ?? expect.unreachable();
    const draft = files.begin('a.rows');
    const bytes = randomBytes(40_000_000);
    writeSync(draft.descriptor, bytes);
    let started = 0;
    const stopAtFirst = async () => {
      stop.abort();
      started = await unfinished();
    };
    let stopping: Promise<void> | undefined;
    const onSent = () => {
      stopping ??= stopAtFirst();
    };
    await expect(draft.finish(bytes.length, DIGEST, onSent)).rejects.toMatchObject({ code: 'stopped' });
    await stopping;
    draft.close();
    expect([started, await unfinished()]).toEqual([1, 0]);
    expect([...(await contents()).keys()]).toEqual([]);
  });
});

describe('the files of a run in a folder', () => {
  it('lose the draft of a small file that a killed task left', async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, 'run.json.killed.draft'), 'a part');
    writeFileSync(join(path, 'shard-00000.rows.running.draft'), 'of another task');
    await new FolderFiles(path).create('run.json', '{}');
    expect(readdirSync(path).toSorted()).toEqual(['run.json', 'shard-00000.rows.running.draft']);
    expect(existsSync(join(path, 'run.json'))).toBe(true);
  });
});
