import { gunzipSync } from 'node:zlib';
import type { Files } from '../whole/trees.ts';

/** A way to store pages at a target. */
export interface Form {
  readonly name: string;
  /** Additional arguments of the build. */
  readonly build: readonly string[];
  /** Additional arguments of the publish. */
  readonly publish: readonly string[];
  /** The suffixes of a page's files after `index.json`. A reader may use any of them. */
  readonly suffixes: readonly string[];
  /** Returns the files of the tree from the stored files. */
  readonly opened: (kept: Files) => Files;
}

export const FORMS: readonly Form[] = [
  { name: 'uncompressed', build: [], publish: [], suffixes: [''], opened: (kept) => kept },
  {
    name: 'with compressed files beside them',
    build: ['--compress', 'gzip,brotli'],
    publish: [],
    suffixes: ['', '.gz', '.br'],
    opened: (kept) => kept,
  },
  {
    name: 'compressed under their own names',
    build: [],
    publish: ['--gzip'],
    suffixes: [''],
    opened: (kept) => new Map([...kept].map(([path, bytes]) => [path, path.startsWith('rest/') ? gunzipSync(bytes) : bytes])),
  },
];
