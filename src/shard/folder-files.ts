import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Draft, LocalBytes, RunFiles, StoredFile } from './run-files.ts';

/** The files of a run in a folder that all tasks share. */
export class FolderFiles implements RunFiles {
  readonly address: string;
  readonly temporary: string;

  constructor(path: string) {
    this.address = path;
    this.temporary = join(path, 'task');
  }

  addressOf(name: string): string {
    return join(this.address, name);
  }

  async readText(name: string): Promise<string | undefined> {
    try {
      return readFileSync(this.addressOf(name), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  async create(name: string, text: string): Promise<void> {
    mkdirSync(this.address, { recursive: true });
    const draft = this.#draftOf(name);
    writeFileSync(draft, text);
    try {
      // unlike a rename, this fails if another task was first
      linkSync(draft, this.addressOf(name));
    } catch (error) {
      // another task was first. It may have removed this draft too
      if (!hasCode(error, 'EEXIST') && !hasCode(error, 'ENOENT')) throw error;
    }
    this.#removeDrafts(name);
  }

  begin(name: string): Draft {
    const [path, draft] = [this.addressOf(name), this.#draftOf(name)];
    const descriptor = openSync(draft, 'wx');
    let isOpen = true;
    const close = () => {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    };
    return {
      descriptor,
      finish: async () => {
        fsyncSync(descriptor);
        close();
        try {
          renameSync(draft, path);
        } catch (error) {
          // another task has written the same file meanwhile, and removed its drafts
          if (!hasCode(error, 'ENOENT') || !statSync(path).isFile()) throw error;
        }
        this.#removeDrafts(name);
      },
      close: () => {
        close();
        rmSync(draft, { force: true });
      },
    };
  }

  async open(names: readonly string[]): Promise<(StoredFile | undefined)[]> {
    const files: (StoredFile | undefined)[] = [];
    try {
      for (const name of names) files.push(openFile(this.addressOf(name)));
      return files;
    } catch (error) {
      for (const file of files) file?.close();
      throw error;
    }
  }

  #draftOf(name: string): string {
    return this.addressOf(`${name}.${randomUUID()}.draft`);
  }

  /** Removes the drafts of a finished file that killed tasks left behind. */
  #removeDrafts(name: string): void {
    for (const entry of readdirSync(this.address)) {
      if (entry.startsWith(`${name}.`) && entry.endsWith('.draft')) rmSync(this.addressOf(entry), { force: true });
    }
  }
}

function openFile(path: string): StoredFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  return {
    address: path,
    size: fstatSync(descriptor).size,
    read: async (from, length) => {
      const bytes = Buffer.alloc(length);
      let done = 0;
      for (let read = -1; read !== 0 && done < length; done += read) read = readSync(descriptor, bytes, done, length - done, from + done);
      return bytes.subarray(0, done);
    },
    local: async (from): Promise<LocalBytes> => ({ descriptor, position: from }),
    close: () => closeSync(descriptor),
  };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
