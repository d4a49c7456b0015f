import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { inVirtualTime } from '../support/virtual-time.ts';

const LINES = {
  import: JSON.stringify(bioRecord(1)),
  observe: JSON.stringify({ observed_at: '2023-11-18T16:29:12Z', screen_name: 'jack', bio: 'hello' }),
};

describe('a first run that fails', () => {
  it.each([
    ['import', ['import', '-'], '{"id":"x"}\n'],
    ['import with a missing source', ['import', 'missing.ndjson'], ''],
    ['import --require-complete', ['import', '-', '--require-complete'], LINES.import],
    ['observe', ['observe', '-'], '{"screen_name":5}\n'],
    ['mirror', ['mirror', 'http://127.0.0.1:9'], ''],
  ])('leaves no file of palimpsest %s', async (_, args, input) => {
    const cwd = temporaryFolder();
    expect(await inVirtualTime(() => palimpsestHere(args, { cwd, input }))).toMatchObject({ code: 1 });
    expect(readdirSync(cwd)).toEqual([]);
    const built = await palimpsestHere(['build', '--base-url', 'https://example.org'], { cwd });
    expect(built.stderr).toContain('there is no store at data/palimpsest.db');
  });

  it.each(['import', 'observe'] as const)('leaves no file after an interruption of palimpsest %s', async (command) => {
    const cwd = temporaryFolder();
    let [interrupt, isInterrupted] = [() => {}, false];
    // the input does not end before the interruption, which comes when the run has written something
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        yield Buffer.from(`${LINES[command]}\n`);
        if (isInterrupted || !existsSync(join(cwd, 'store.db-journal'))) continue;
        isInterrupted = true;
        interrupt();
      }
    }
    const once = (signal: string, listener: () => void) => {
      if (signal === 'SIGINT') interrupt = listener;
    };
    const { code } = await palimpsestHere([command, '-', '--store', 'store.db'], { cwd, io: { stdin: endless(), once } });
    expect([code, readdirSync(cwd)]).toEqual([130, []]);
  });
});
