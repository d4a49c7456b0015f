import { type Hint, hintText } from './hint.ts';

/**
 * All error codes, each with the exit code of the process:
 * 1 failed, 2 wrong usage, 3 a guard refused a dangerous change. A stop by another signal than SIGINT has its own exit code.
 */
export const FAILURES = {
  'bad-field': 1,
  'bad-json': 1,
  'bad-encoding': 1,
  'bad-source': 1,
  'no-source': 1,
  'bad-archive': 1,
  conflict: 1,
  incomplete: 1,
  'all-rejected': 1,
  late: 1,
  'bad-store': 1,
  'no-store': 1,
  'no-account': 1,
  'ambiguous-account': 1,
  'store-busy': 1,
  'store-newer': 1,
  'store-older': 1,
  'no-tree': 1,
  'tree-unfinished': 1,
  'tree-busy': 1,
  'tree-edited': 1,
  'no-client': 1,
  'no-tool': 1,
  'tool-failed': 1,
  'target-denied': 1,
  'target-failed': 1,
  'target-busy': 1,
  'no-version': 1,
  'not-removed': 1,
  stopped: 130,
  'bad-service': 1,
  'service-failed': 1,
  'port-taken': 1,
  'file-system': 1,
  'no-part': 1,
  'bad-part': 1,
  usage: 2,
  'not-ours': 3,
  'other-form': 3,
  'no-conditions': 3,
  'store-diverged': 3,
  'loopback-url': 3,
  'not-confirmed': 3,
  'too-many-deletes': 3,
  'reader-gaps': 3,
  'host-refused': 3,
  'host-limit': 3,
} as const;

export type FailureCode = keyof typeof FAILURES;

/** A place in the input: a file (or URL), a line (from 1) or a byte (from 0), and the path of a field in the item. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly byte?: number;
  readonly field?: string;
}

interface Details {
  readonly place?: Place;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  /** What to do next, as an imperative. */
  readonly hint?: Hint | undefined;
  readonly cause?: unknown;
  /** Further errors of the same run, each in another file. */
  readonly others?: readonly Failure[] | undefined;
  /** How many further errors are not in `others`. */
  readonly unlisted?: number | undefined;
}

/** The only error that users see: what failed, where, what was expected and found, and what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** The hint as text, with commands as they are written in the documentation. */
  readonly hint: string | undefined;
  /** The hint with its commands as data. */
  readonly hintParts: Hint | undefined;
  readonly others: readonly Failure[];
  readonly unlisted: number;

  constructor(code: FailureCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.place = details.place ?? {};
    this.expected = details.expected;
    this.found = details.found;
    this.hint = details.hint === undefined ? undefined : hintText(details.hint, ({ command }) => `palimpsest ${command}`);
    this.hintParts = details.hint;
    this.others = details.others ?? [];
    this.unlisted = details.unlisted ?? 0;
  }
}
