import { gunzipSync } from 'node:zlib';
import type { Files } from '../whole/trees.ts';
import { STORES, type StoreKind } from './stores.ts';

/** A form in which a target keeps pages. */
export interface Form {
  readonly name: string;
  /** More arguments for the build. */
  readonly build: readonly string[];
  /** More arguments for the publish. */
  readonly publish: readonly string[];
  /** What the names of a page's files end with behind `index.json`: a reader may come by any of them. */
  readonly suffixes: readonly string[];
  /** The files of the tree, from those that a target keeps. */
  readonly opened: (kept: Files) => Files;
}

/** Pages as they are first: where a test runs in small, it runs smaller for the others. */
export const FORMS: readonly Form[] = [
  { name: 'as they are', build: [], publish: [], suffixes: [''], opened: (kept) => kept },
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

/** The forms that are proven at a store: what a page's files are called is no matter of the store's, so all of them only at the first. */
export function formsAt(kind: StoreKind): readonly Form[] {
  return kind === STORES[0] ? FORMS : FORMS.slice(0, 1);
}

/** How often something is done for a form: as often as the full proof says, else `few` times, and fewer for the later forms. */
export function timesFor(form: Form, full: string | undefined, few: number): number {
  if (full !== undefined) return Number(full);
  return form === FORMS[0] ? few : Math.ceil(few / 2);
}
