import type { Instant } from '../../contract/instant.ts';
import { at } from '../../contract/json-shape.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import type { FormatName } from './all-formats.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** Options for what the snapshots themselves do not contain. */
export interface CaptureContext {
  /** The time of snapshots that contain none. */
  readonly observedAt: Instant | undefined;
  /** Whether to unescape texts that the service delivered HTML-escaped. */
  readonly unescape: boolean;
  /** Whether the snapshots are in a rejects file, whose path says nothing about them. */
  readonly isReject?: boolean | undefined;
}

/** One snapshot within a value that holds several. */
export interface Snapshot {
  readonly value: unknown;
  /** The path in the value. */
  readonly path: string;
  /** The time of the snapshot, if the surrounding value contains it. */
  readonly observedAt: Instant | undefined;
}

/** A documented format of profile snapshots, with its reader. */
export interface SnapshotFormat<Name = FormatName> {
  readonly name: Name;
  /** The format of one snapshot out of a value with several, if it is another one. */
  readonly singleName?: FormatName;
  /** One snapshot, as an error message names it. */
  readonly title: string;
  /** Whether an object is such a snapshot, or a response that contains some. */
  readonly recognizes: (value: JsonObject) => boolean;
  /**
   * Returns the snapshots in an object. If the function is missing, every object is one snapshot.
   * @throws Violation if a response should contain snapshots and does not
   */
  readonly snapshotsIn?: (value: JsonObject, path: string) => readonly Snapshot[];
  /**
   * Returns further times at which the same profile was observed. If the function is missing, there are none.
   * @throws Violation
   */
  readonly furtherTimes?: (snapshot: JsonObject, path: string) => readonly Instant[];
  /** @throws Violation at the first field that breaks a rule of the format */
  readonly observe: (snapshot: JsonObject, path: string, taken: CaptureContext) => Observation;
}

/** Thrown by a reader that needs a package which is not loaded yet. The value must be read again after {@link load}. */
export class PackageNotLoaded extends Error {
  readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    super('a package is not loaded');
    this.load = load;
  }
}

/** For responses that list their snapshots under a key. Any other object is one snapshot. */
export function snapshotsUnder(key: string): (value: JsonObject, path: string) => readonly Snapshot[] {
  return (value, path) => {
    const list = value[key];
    return Array.isArray(list) ? listed(list, at(path, key)) : [{ value, path, observedAt: undefined }];
  };
}

export function listed(list: readonly unknown[], path: string): Snapshot[] {
  return list.map((value, index) => ({ value, path: `${path}[${index}]`, observedAt: undefined }));
}
