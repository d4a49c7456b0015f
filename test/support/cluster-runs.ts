import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { filesIn } from './folder.ts';
import { palimpsestJson } from './palimpsest.ts';
import { contentsOf } from './snapshots.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let lines: readonly string[] = [];

/** Writes a folder with the sample and with files of generated snapshots, whose accounts occur in all files. */
export function writeSnapshots(folder: string, files = 9): void {
  mkdirSync(folder, { recursive: true });
  cpSync(at('data/sample-snapshots.ndjson'), join(folder, 'sample.ndjson'));
  if (lines.length === 0) {
    lines = execFileSync(process.execPath, [at('bench/changing-profiles.js'), '900', '40'], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  }
  // every file covers the whole time, so the parts overlap
  for (let file = 0; file < files; file += 1) {
    const own = lines.filter((_, index) => index % files === file);
    writeFileSync(join(folder, `${file}.ndjson`), `${own.join('\n')}\n`);
  }
}

/** What a run must not change: the content of the store, and the tree that `build` writes from it. */
interface Outcome {
  readonly contents: ReturnType<typeof contentsOf>;
  readonly tree: ReturnType<typeof filesIn>;
}

export async function outcomeOf(store: string): Promise<Outcome> {
  const out = `${store}-out`;
  await palimpsestJson(['build', '--store', store, '--out', out]);
  return { contents: contentsOf(store), tree: filesIn(join(out, 'rest')) };
}

let serial: Promise<Outcome> | undefined;

/** Returns what one run gives that observes those snapshots. */
export function serialOutcome(): Promise<Outcome> {
  serial ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    const [snapshots, store] = [join(folder, 'snapshots'), join(folder, 'serial.db')];
    writeSnapshots(snapshots);
    expect(await palimpsestJson(['observe', snapshots, '--store', store])).toMatchObject({ snapshots: 907 });
    const outcome = await outcomeOf(store);
    rmSync(folder, { recursive: true });
    return outcome;
  })();
  return serial;
}
