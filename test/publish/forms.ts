import { gunzipSync } from 'node:zlib';
import { isFull } from '../support/proof.ts';
import type { Files } from '../whole/trees.ts';
import { STORES, type StoreKind } from './stores.ts';

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

/** Uncompressed pages come first: a short test run is even shorter for the other forms. */
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

/** Returns the forms to test at a store. File names do not depend on the store, so only the first store tests all of them. */
export function formsAt(kind: StoreKind): readonly Form[] {
  return kind === STORES[0] ? FORMS : FORMS.slice(0, 1);
}

/** Returns the repetitions for a form: fewer for the later forms, except in a full run. */
export function timesFor(form: Form, usual: number): number {
  return isFull || form === FORMS[0] ? usual : Math.ceil(usual / 2);
}
