import { closeSync, existsSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ZipDamage } from '../zip/member.ts';
import { MemberFile, WINDOW } from '../zip/member-file.ts';
import type { ZipReader } from '../zip/zip-reader.ts';
import { PAGES_SPOOL, partSpool, SPOOLS } from './staged-files.ts';

/** Members in the order in which they lie in a file. */
class Cursor {
  readonly members: MemberFile;
  #next = 0;

  constructor(members: MemberFile) {
    this.members = members;
  }

  /** Returns the next member if it has this path, otherwise the one at `offset`. The bytes are valid until the next call. */
  take(path: string, offset: () => number | undefined = () => undefined): Buffer | undefined {
    let member = this.members.at(this.#next);
    if (member?.path !== path) member = this.members.at(offset() ?? this.members.end);
    if (member?.path !== path) return undefined;
    this.#next = member.end;
    return member.bytes;
  }
}

/** The packed members of a new ZIP: those that a build rendered are in its spools, and the others in the present ZIP. */
export class MemberSources {
  readonly #folder: string;
  readonly #present: ZipReader | undefined;
  readonly #unchanged: Cursor | undefined;
  /** The files of the spools that are open: those of the pages, and that of a part. */
  readonly #files: number[] = [];
  /** Where the rendered pages are. They were rendered from both ends of a collection. */
  readonly #pages = new Map<string, readonly [spool: MemberFile, offset: number]>();
  #part: Cursor | undefined;
  /** The parts share their window: there are many of them. */
  readonly #partWindow = Buffer.allocUnsafeSlow(WINDOW);

  /** @param present the present ZIP; undefined if nothing is unchanged */
  constructor(stage: string, present: ZipReader | undefined) {
    this.#folder = join(stage, SPOOLS);
    this.#present = present;
    this.#unchanged = present === undefined ? undefined : new Cursor(present.packed());
    for (const name of readdirSync(this.#folder)) if (name.startsWith(PAGES_SPOOL)) this.#listPages(this.#open(name));
  }

  /** Goes on to another part of the browse files. Its members are then asked for in their order. */
  beginPart(index: number): void {
    if (this.#part !== undefined) closeSync(this.#files.pop() ?? -1);
    const name = partSpool(index);
    this.#part = existsSync(join(this.#folder, name)) ? new Cursor(this.#open(name, this.#partWindow)) : undefined;
  }

  /**
   * Returns the member with a path. The bytes are valid until the next call.
   * @throws ZipDamage
   */
  member(path: string): Buffer {
    const [spool, offset] = this.#pages.get(path) ?? [];
    const rendered = spool === undefined || offset === undefined ? this.#part?.take(path) : spool.at(offset)?.bytes;
    const member = rendered ?? this.#unchanged?.take(path, () => this.#present?.find(path)?.offset);
    if (member === undefined) throw new ZipDamage(`there is no member ${path}, and it counts as unchanged`);
    return member;
  }

  close(): void {
    for (const file of this.#files) closeSync(file);
  }

  #open(spool: string, window?: Buffer): MemberFile {
    const file = openSync(join(this.#folder, spool), 'r');
    this.#files.push(file);
    return new MemberFile(file, fstatSync(file).size, window);
  }

  #listPages(spool: MemberFile): void {
    let offset = 0;
    for (let member = spool.at(offset); member !== undefined; member = spool.at(offset)) {
      this.#pages.set(member.path, [spool, offset]);
      offset = member.end;
    }
  }
}
