import { hash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import { encodeJson, isObject, show } from '../contract/json.ts';
import {
  count,
  falseOrNothing,
  list,
  oneOf,
  orNothing,
  parseShape,
  type Rule,
  type Shape,
  text,
  textOrNull,
  Violation,
} from '../contract/json-shape.ts';

/** The copy of the newest commit for readers. */
export const HEAD = 'head.json';
/** The folder of the data and the commits. */
export const VERSIONS = 'versions/';

/** A numbered state: one file that never changes. */
export interface Version {
  /** The number of the commit that published it. */
  readonly number: number;
  /** The path of its data at the target. */
  readonly file: string;
  /** The length of the data, and its SHA-256 as hexadecimal digits. */
  readonly bytes: number;
  readonly sha256: string;
  /** When it was published: UTC with milliseconds. */
  readonly time: string;
  readonly records: number;
  readonly accounts: number;
  /** The fingerprint of the store. */
  readonly store: string;
}

/** A number that no longer has a version. */
export interface Withdrawn {
  readonly number: number;
  readonly time: string;
}

const CHANGES = ['publish', 'rollback', 'keep', 'remove', 'rewrite', 'void', 'repair'] as const;
export type CommitChange = (typeof CHANGES)[number];

/** The state of a target after a change. Each is the next number, and contains the whole list of live versions. */
export interface Commit<V extends Version = Version> {
  /** The release of palimpsest that wrote it. */
  readonly palimpsest: string;
  readonly kind: string;
  readonly number: number;
  /** Random: identifies the run that wrote it. */
  readonly token: string;
  /** Not earlier than the time of the newest live version, except after a `store push --replace`. */
  readonly time: string;
  /** The SHA-256 of the commit before; null for the first. */
  readonly previous: string | null;
  readonly change: CommitChange;
  /** That of the pages of the current version, if the versions have pages. */
  readonly base_url?: string | undefined;
  /** False if it was written without proved conditions, with --single-publisher. */
  readonly conditional?: false | undefined;
  /** The live versions, ascending. The last one is current. */
  readonly versions: readonly V[];
  /** The numbers that were withdrawn last, ascending. */
  readonly withdrawn: readonly Withdrawn[];
}

/** What the versions of a target are: states of a site, or of a store. */
export interface VersionKind<V extends Version> {
  readonly name: 'site' | 'store';
  /** The end of the names of the data files. */
  readonly suffix: string;
  readonly contentType: string;
  /** The Cache-Control headers of the data and the commits, and of the head. */
  readonly cacheControl: { readonly data: string; readonly head: string };
  /** Whether readers find the newest commit by the head alone. Others list the commits, so an old head does no harm. */
  readonly isReadByHead: boolean;
  /** The rules of a version: those of {@link VERSION_SHAPE} and its own. */
  readonly shape: Shape<V>;
}

const dataFile: Rule<string> = {
  expected: 'the path of a data file, such as versions/00000042-0123456789ab.zip',
  accepts: (value): value is string => typeof value === 'string' && /^versions\/\d{8}-[0-9a-f]{12}\.[a-z.]+$/.test(value),
};

export const VERSION_SHAPE: Shape<Version> = {
  number: count,
  file: dataFile,
  bytes: count,
  sha256: text,
  time: text,
  records: count,
  accounts: count,
  store: text,
};
const SHAPE: Shape<
  Omit<Commit, 'versions' | 'withdrawn'> & { readonly [K in 'versions' | 'withdrawn']: readonly unknown[] } & { readonly digest: string }
> = {
  palimpsest: text,
  kind: text,
  number: count,
  token: text,
  time: text,
  previous: textOrNull,
  change: oneOf(...CHANGES),
  base_url: orNothing(text),
  conditional: falseOrNothing,
  versions: list,
  withdrawn: list,
  digest: text,
};
const WITHDRAWN: Shape<Withdrawn> = { number: count, time: text };

const BEFORE_DIGEST = ',"digest":';

/** Encodes a commit as one line. Its last field is the SHA-256 of the text before that field. */
export function encodeCommit(commit: Commit): Buffer {
  const before = encodeJson(commit).slice(0, -1);
  return Buffer.from(`${before}${BEFORE_DIGEST}"${hash('sha256', before)}"}\n`);
}

/**
 * @returns undefined if the bytes are damaged: not those of a commit with its digest
 * @throws Failure other-form if it is of another kind; not-ours if another release wrote it, with fields that are not known
 */
export function parseCommit<V extends Version>(kind: VersionKind<V>, path: string, bytes: Buffer): Commit<V> | undefined {
  const line = bytes.toString();
  const before = line.slice(0, Math.max(0, line.lastIndexOf(BEFORE_DIGEST)));
  if (line !== `${before}${BEFORE_DIGEST}"${hash('sha256', before)}"}\n`) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value) && typeof value['kind'] === 'string' && value['kind'] !== kind.name)
      throw otherKind(kind.name, path, value['kind']);
    const { digest: _, versions, withdrawn, ...fields } = parseShape(SHAPE, value, '');
    return {
      ...fields,
      versions: versions.map((one, index) => parseShape(kind.shape, one, `versions[${index}]`)),
      withdrawn: withdrawn.map((one, index) => parseShape(WITHDRAWN, one, `withdrawn[${index}]`)),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { field = '', expected, found } = error instanceof Violation ? error : { expected: 'a commit', found: show(line) };
    throw new Failure('not-ours', `${path} was written by another release of palimpsest, or by another program`, {
      place: { file: path, field },
      expected,
      found,
      hint: 'update palimpsest; nothing was changed',
    });
  }
}

function otherKind(expected: string, path: string, found: string): Failure {
  return new Failure('other-form', `the target has versions of a ${found}`, {
    place: { file: path },
    expected: `versions of a ${expected}`,
    found: `versions of a ${found}`,
    hint: 'name another prefix with --prefix, or another target; nothing was changed',
  });
}

export function commitPath(number: number): string {
  return `${VERSIONS}${padded(number)}.json`;
}

/** @param random 12 hexadecimal digits */
export function dataPath(number: number, random: string, suffix: string): string {
  return `${VERSIONS}${padded(number)}-${random}${suffix}`;
}

/** Returns a path that comes before all objects of a number. */
export function pathBefore(number: number): string {
  return VERSIONS + padded(number);
}

/** Returns the number of an object below `versions/`, and whether it is a commit. Undefined if it is neither a commit nor data. */
export function numbered(path: string): { readonly number: number; readonly isCommit: boolean } | undefined {
  const [, digits, rest] = /^versions\/(\d{8})([-.].*)$/.exec(path) ?? [];
  return digits === undefined ? undefined : { number: Number(digits), isCommit: rest === '.json' };
}

export function commitNumbers(listed: readonly { readonly path: string }[]): number[] {
  return listed.flatMap(({ path }) => numbered(path) ?? []).flatMap(({ number, isCommit }) => (isCommit ? [number] : []));
}

function padded(number: number): string {
  return String(number).padStart(8, '0');
}
