import type { Instant } from '../../contract/instant.ts';
import type { Observation } from '../../contract/observation.ts';
import { at } from '../../contract/shape.ts';

/** The names of all formats, in the order in which they are tried. */
export const FORMAT_NAMES = ['neutral', 'twitter-v1', 'twitter-stream', 'twitter-v2', 'twitter-archive', 'mastodon', 'bluesky'] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

export type JsonObject = { readonly [key: string]: unknown };

/** How snapshots were taken, as far as they do not say so themselves. */
export interface CaptureContext {
  readonly observedAt: Instant | undefined;
  /** Whether texts that were delivered HTML-escaped are unescaped. */
  readonly unescape: boolean;
}

/** One snapshot within a value that holds several. */
export interface Snapshot {
  readonly value: unknown;
  /** Where it stands in what was read. */
  readonly path: string;
  /** When it was taken, where what is around it says so. */
  readonly observedAt: Instant | undefined;
}

/** @throws Violation at the first field that breaks a rule of the format */
export type Observe = (snapshot: JsonObject, path: string, taken: CaptureContext) => Observation;

/** A documented shape of profile snapshots, and what snapshots of that shape say. */
export interface SnapshotFormat {
  readonly name: FormatName;
  /** One snapshot, as an error message names it. */
  readonly title: string;
  /** Whether an object is such a snapshot, or an answer that holds some. */
  readonly recognises: (value: JsonObject) => boolean;
  /**
   * The snapshots that an object holds; without it every object is one.
   * @throws Violation where it should hold some and does not
   */
  readonly snapshotsIn?: (value: JsonObject, path: string) => readonly Snapshot[];
  /** What reads a snapshot, once what that needs is loaded. */
  readonly observer: () => Promise<Observe>;
}

/** For answers that list their snapshots under a key; any other object is one itself. */
export function snapshotsUnder(key: string): (value: JsonObject, path: string) => readonly Snapshot[] {
  return (value, path) => {
    const list = value[key];
    return Array.isArray(list) ? listed(list, at(path, key)) : [{ value, path, observedAt: undefined }];
  };
}

export function listed(list: readonly unknown[], path: string): Snapshot[] {
  return list.map((value, index) => ({ value, path: `${path}[${index}]`, observedAt: undefined }));
}
