import { hash } from 'node:crypto';
import { type ComposedHead, encodeHead, type Published, parseHead } from '../../composed/head.ts';
import { Failure } from '../../contract/failure.ts';
import type { Remote } from '../../storage/remote.ts';
import { HEAD } from '../../tree/found-layout.ts';
import { replaceObject, replaceUnconditionally } from './conditional-write.ts';
import { withPublish } from './published.ts';

/** The head at a target. */
export interface FoundHead {
  readonly head: ComposedHead;
  readonly tag: string;
}

/** Reads the head at a target; undefined if it has none. @throws Failure target-edited if it is damaged */
export async function readHeadAt(remote: Remote): Promise<FoundHead | undefined> {
  const fetched = await remote.get(HEAD);
  if (fetched === undefined) return undefined;
  const head = parseHead(fetched.bytes);
  if (head !== undefined) return { head, tag: fetched.tag };
  throw new Failure('target-edited', `the ${HEAD} at ${remote.name} is damaged`, {
    place: { file: HEAD },
    expected: `a ${HEAD} that palimpsest wrote`,
    found: 'a file with missing or wrong fields',
    hint: `restore ${HEAD} from a copy, or remove it at the target and publish again: then every chunk is sent again`,
  });
}

/** How a head is written. */
export interface HeadWrite {
  /** The Cache-Control header of the head. */
  readonly cacheControl: string;
  /** False at a store without conditional writes, with one publisher. */
  readonly isConditional: boolean;
  /** The earlier publishes of the generations that stay. */
  readonly earlier: readonly Published[];
}

/**
 * Writes the head, with the time of this publish, if nobody wrote it since it was read. Readers then see the new state.
 * @throws Failure target-busy if another run wrote it
 */
export async function writeHead(
  remote: Remote,
  head: ComposedHead,
  found: FoundHead | undefined,
  { cacheControl, isConditional, earlier }: HeadWrite,
): Promise<void> {
  const published = withPublish(earlier, head.generation, Date.now());
  const bytes = Buffer.from(encodeHead({ ...head, published }));
  const headers = { contentType: 'application/json', cacheControl, contentEncoding: '' };
  const upload = { bytes, headers, digest: hash('sha256', bytes) };
  const replace = isConditional ? replaceObject : replaceUnconditionally;
  await replace(remote, HEAD, upload, found?.tag);
}
