import { hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../contract/files/file-bytes.ts';
import { packMember, ZipDamage } from '../../zip/member.ts';
import { MemberFile, WINDOW, type ZipReader } from '../../zip/zip-reader.ts';
import { ZipWriter } from '../../zip/zip-writer.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord } from '../build-record.ts';
import { parseLine } from '../manifest/lines.ts';
import { MANIFEST } from '../manifest/manifest.ts';
import { SORT_KEYS } from '../sort-keys.ts';
import { edited } from '../verified-tree.ts';
import { fileOfPart, linesOfPart, SPOOLS } from './staged-part.ts';
import { type Exchange, type Exchanged, partsOf, stageManifest, tally } from './swap-files.ts';

/**
 * Writes the ZIP of a build in the stage, and then moves it to its place. Its members are in the order of the manifest. Those that
 * did not change are copied from the present ZIP as they lie there.
 * @param present undefined if there is no ZIP, or its end is damaged
 * @param found the record of the present ZIP; undefined if it has none, or is not trusted
 * @throws Failure tree-edited if the present ZIP lacks a member that did not change; then nothing was changed
 */
export async function exchangeZip(options: Exchange, present: ZipReader | undefined, found: BuildRecord | undefined): Promise<Exchanged> {
  const { out, stage, record: now, pauses, onProgress } = options;
  const build = stageManifest(options);
  const counts = tally(options);
  const removedPages =
    found === undefined ? 0 : surplus(found.data_pages, now.data_pages) + surplus(found.account_pages, now.account_pages);
  const exchanged = { build, ...counts, removed: removedPages + counts.removedBrowseFiles, removedCopies: 0 };
  if (options.isDryRun) return exchanged;
  const sources = new MemberSources(stage, present);
  const staged = join(stage, 'tree.zip');
  const file = openSync(staged, 'wx');
  const writer = new ZipWriter(file, join(stage, 'central-directory'));
  try {
    let done = 0;
    for (const part of partsOf(options)) {
      sources.begin(fileOfPart(part));
      for (const text of linesOfPart(stage, part).split('\n')) {
        const line = parseLine(text);
        if (line === undefined) continue;
        writer.add(sources.member(line.path), line.digest);
        done += 1;
        if (pauses.areDue) await pauses.take(() => onProgress('exchange', done, counts.written + counts.unchanged));
      }
    }
    const keys = readFileSync(join(stage, SORT_KEYS));
    writer.add(packMember(SORT_KEYS, [keys]), hash('sha256', keys));
    writer.addFile(MANIFEST, join(stage, MANIFEST), build.manifest);
    const record = Buffer.from(encodeBuildRecord(build));
    writer.add(packMember(BUILD_RECORD, [record]), hash('sha256', record));
    writer.end();
    fsyncSync(file);
  } catch (error) {
    throw error instanceof ZipDamage ? edited(out, undefined, error.message) : error;
  } finally {
    writer.close();
    closeSync(file);
    sources.close();
  }
  pauses.check();
  renameSync(staged, out);
  syncFolder(dirname(out));
  return exchanged;
}

function surplus(before: number, after: number): number {
  return Math.max(0, before - after);
}

/** The packed members of a new ZIP: those that a build rendered are in its spools, and the others in the present ZIP. */
class MemberSources {
  readonly #folder: string;
  readonly #present: ZipReader | undefined;
  readonly #unchanged: MemberFile | undefined;
  #spool: { readonly file: number; readonly members: MemberFile } | undefined;
  /** The spools share their window: there are many of them. */
  readonly #window = Buffer.allocUnsafeSlow(WINDOW);

  /** @param present the present ZIP; undefined if nothing is unchanged */
  constructor(stage: string, present: ZipReader | undefined) {
    this.#folder = join(stage, SPOOLS);
    this.#present = present;
    this.#unchanged = present?.packed();
  }

  /** Goes on to another spool. Its members are then asked for in their order. */
  begin(spool: string): void {
    this.close();
    const path = join(this.#folder, spool);
    if (!existsSync(path)) return;
    const file = openSync(path, 'r');
    this.#spool = { file, members: new MemberFile(file, fstatSync(file).size, this.#window) };
  }

  /**
   * Returns the member with a path. The bytes are valid until the next call.
   * @throws ZipDamage
   */
  member(path: string): Buffer {
    const member = this.#spool?.members.take(path) ?? this.#unchanged?.take(path, () => this.#present?.find(path)?.offset);
    if (member === undefined) throw new ZipDamage(`there is no member ${path}, and it counts as unchanged`);
    return member;
  }

  close(): void {
    if (this.#spool !== undefined) closeSync(this.#spool.file);
    this.#spool = undefined;
  }
}
