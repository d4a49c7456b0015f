/**
 * The place of the files of a run in shards: a folder, or a prefix in an object store. The names of files have no folder. All tasks of
 * a run use the same place at the same time.
 */
export interface RunFiles {
  /** The path of the folder, or the address of the prefix. */
  readonly address: string;
  /** The path beside which a task creates its temporary files. */
  readonly temporary: string;
  /** Returns the path or the address of a file. */
  readonly addressOf: (name: string) => string;
  /** Reads a small file. Returns undefined if it does not exist. */
  readonly readText: (name: string) => Promise<string | undefined>;
  /** Writes a small file whole, unless it exists. */
  readonly create: (name: string, text: string) => Promise<void>;
  /** Begins a file. When it is finished, it replaces an earlier file with this name. */
  readonly begin: (name: string) => Draft;
  /** Opens files. Returns undefined for each that does not exist. */
  readonly open: (names: readonly string[]) => Promise<(StoredFile | undefined)[]>;
}

/** Counts bytes that were sent or received. Not called if nothing is transferred. */
export type OnBytes = (bytes: number) => void;

/** A file that is being written. */
export interface Draft {
  /** Where its bytes are written. */
  readonly descriptor: number;
  /**
   * Gives the file its name, when all its bytes are written.
   * @param size in bytes
   * @param digest a SHA-256 that identifies the content
   */
  readonly finish: (size: number, digest: string, onSent: OnBytes) => Promise<void>;
  /** Removes what is left of the draft. */
  readonly close: () => void;
}

/** A file that can be read. Later changes of it are not visible. */
export interface StoredFile {
  /** The path or the address, for messages. */
  readonly address: string;
  /** In bytes. */
  readonly size: number;
  /** Reads some bytes, or fewer if the file ends earlier. */
  readonly read: (from: number, length: number) => Promise<Buffer>;
  /** Makes bytes readable by a file descriptor until the file is closed. */
  readonly local: (from: number, length: number, onReceived: OnBytes) => Promise<LocalBytes>;
  readonly close: () => void;
}

/** Bytes of a file on this machine. */
export interface LocalBytes {
  readonly descriptor: number;
  /** The position of the first byte. */
  readonly position: number;
}
