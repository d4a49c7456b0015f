import { hash } from 'node:crypto';
import { Failure } from '../../contract/failure.ts';
import { encodeJson, isObject } from '../../contract/json.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-failure.ts';
import type { Upload } from '../../storage/target.ts';
import { VERSION } from '../../version.ts';
import { plainHeaders } from '../objects/headers.ts';
import { STATE } from '../state/state.ts';
import { replaceObject, replaceUnconditionally, supportsConditions, unconditional } from './conditional-write.ts';
import type { UnlistedState } from './unlisted.ts';

/**
 * The content of `publish.json` for the composed layout. It identifies the target as a site. With the log of the head, it
 * names everything that may be at the target, also after a run that was killed: a removal must delete all of it.
 */
export interface ComposedState {
  /** The hashes of chunks that no state needed when the list was written. */
  readonly deletes: readonly string[];
  /** When a run that deletes them last wrote the list, in milliseconds since 1970; 0 if it has ended. */
  readonly since: number;
  readonly states: readonly UnlistedState[];
}

/** The state at a target. */
export interface FoundState extends ComposedState {
  readonly tag: string;
}

/** Reads the state of a target; undefined if it has none. @throws Failure other-layout if it has a static tree; not-ours */
export async function readComposedState(remote: Remote): Promise<FoundState | undefined> {
  const fetched = await remote.get(STATE);
  if (fetched === undefined) return undefined;
  const value = parsed(fetched.bytes);
  const { layout, deletes, since, states } = isObject(value) ? value : {};
  if (layout === 'composed' && isListOf(deletes, isHash) && isListOf(states, isUnlisted)) {
    return { deletes, since: Number(since), states, tag: fetched.tag };
  }
  const isStatic = isObject(value) && typeof value['manifest'] === 'string';
  throw new Failure(
    isStatic ? 'other-layout' : 'not-ours',
    `${remote.name} has ${isStatic ? 'a tree with the static layout' : `another ${STATE}`}`,
    {
      place: { file: STATE },
      expected: 'no tree, or one with the composed layout',
      found: isStatic ? 'a tree with the static layout' : 'a file that palimpsest did not write for the composed layout',
      hint: 'publish to another prefix or folder; nothing was changed',
    },
  );
}

/** `publish.json` at a target, while a run writes it. It is written only if no other run has written it since. */
export class ClaimedState {
  /** Whether the store supports conditional writes. */
  readonly isConditional: boolean;
  readonly #remote: Remote;
  #tag: string;

  private constructor(remote: Remote, tag: string, isConditional: boolean) {
    this.#remote = remote;
    this.#tag = tag;
    this.isConditional = isConditional;
  }

  /**
   * Writes the first state of a run, and finds out whether the store supports conditional writes.
   * @throws Failure target-busy if another run wrote it; no-conditional-writes if there may be several publishers
   */
  static async claim(
    remote: Remote,
    found: FoundState | undefined,
    state: ComposedState,
    { isSinglePublisher }: { readonly isSinglePublisher: boolean },
  ): Promise<ClaimedState> {
    const upload = uploadOf(state);
    try {
      const tag = await replaceObject(remote, STATE, upload, found?.tag);
      if (await supportsConditions(remote, STATE, upload)) return new ClaimedState(remote, tag, true);
    } catch (error) {
      if (storageErrorKind(error) !== 'unsupported') throw error;
    }
    if (!isSinglePublisher) throw unconditional(remote);
    return new ClaimedState(remote, await remote.put(STATE, upload), false);
  }

  /** Writes a later state of the run, also after a stop. @throws Failure target-busy if another run wrote it */
  async write(state: ComposedState): Promise<void> {
    const replace = this.isConditional ? replaceObject : replaceUnconditionally;
    this.#tag = await replace(this.#remote.with({ signal: undefined }), STATE, uploadOf(state), this.#tag);
  }
}

function uploadOf({ deletes, since, states }: ComposedState): Upload {
  const bytes = Buffer.from(`${encodeJson({ palimpsest: VERSION, layout: 'composed', since, states, deletes })}\n`);
  return { bytes, headers: plainHeaders(STATE), digest: hash('sha256', bytes) };
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

function isUnlisted(value: unknown): value is UnlistedState {
  if (!isObject(value)) return false;
  const { data, account, since, complete } = value;
  return isHash(data) && isHash(account) && typeof since === 'number' && typeof complete === 'boolean';
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
