import { hash } from 'node:crypto';
import { Failure } from '../../contract/failure.ts';
import { encodeJson, isObject } from '../../contract/json.ts';
import type { Remote } from '../../storage/remote.ts';
import { VERSION } from '../../version.ts';
import { plainHeaders } from '../objects/headers.ts';
import { STATE } from '../state/state.ts';

/** The content of `publish.json` for the composed layout: it identifies the target as a site, and lists the chunks to delete. */
export interface ComposedState {
  /** The hashes of chunks that no state needed when the list was written. */
  readonly deletes: readonly string[];
  /** When the list was written, in milliseconds since 1970. */
  readonly since: number;
}

/** Reads the state of a target; undefined if it has none. @throws Failure other-layout if it has a static tree; not-ours */
export async function readComposedState(remote: Remote): Promise<ComposedState | undefined> {
  const fetched = await remote.get(STATE);
  if (fetched === undefined) return undefined;
  const value = parsed(fetched.bytes);
  const { layout, deletes, since } = isObject(value) ? value : {};
  if (layout === 'composed' && Array.isArray(deletes) && deletes.every(isHash)) return { deletes, since: Number(since) };
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

export async function writeComposedState(remote: Remote, { deletes, since }: ComposedState): Promise<void> {
  const bytes = Buffer.from(`${encodeJson({ palimpsest: VERSION, layout: 'composed', since, deletes })}\n`);
  await remote.put(STATE, { bytes, headers: plainHeaders(STATE), digest: hash('sha256', bytes) });
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
