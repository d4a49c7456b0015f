import { parseInstant } from '../../src/contract/instant.ts';
import { type NormalizeOptions, type NormalizeSummary, normalizeSources } from '../../src/normalize/normalize.ts';
import { localPart } from '../../src/normalize/part-file.ts';
import type { ObserveSummary } from '../../src/observe/merge-snapshots.ts';
import { type ObserveOptions, observeInputs } from '../../src/observe/observe.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import type { Input, InputError } from '../../src/sources/source.ts';
import { type Snapshot, sourceOf } from './snapshots.ts';

/** The result of a run, with everything that it rejected, in order. */
export interface RunResult {
  readonly summary: ObserveSummary;
  readonly rejects: readonly InputError[];
}

/** The time is for snapshots that have none. */
const SNAPSHOTS: NormalizeOptions['snapshots'] = {
  from: undefined,
  observedAt: parseInstant('2017-09-19T20:47:28Z'),
  unescape: false,
  openAgain: undefined,
};

/** Observes inputs in one process. */
export async function observeSerially(store: string, inputs: readonly Input[], options: Partial<ObserveOptions> = {}): Promise<RunResult> {
  const rejects: InputError[] = [];
  const onReject = (error: InputError) => void rejects.push(error);
  return { summary: await observeInputs(store, inputs, { snapshots: SNAPSHOTS, onReject, ...options }), rejects };
}

/** Writes one part of inputs. */
export function normalizePart(
  inputs: readonly Input[],
  path: string,
  number: number,
  shards: number,
  options: Partial<NormalizeOptions> = {},
): Promise<NormalizeSummary> {
  const patterns = { include: [], exclude: [] };
  return normalizeSources(inputs, localPart(path), { shard: { number, shards }, snapshots: SNAPSHOTS, patterns, ...options });
}

/** Writes all parts of inputs into a folder, and observes them. `rejected` also counts what could not be read. */
export async function observeInParts(store: string, inputs: readonly Input[], parts: number, folder: string): Promise<RunResult> {
  const rejects: InputError[] = [];
  const onReject = (error: InputError) => void rejects.push(error);
  for (let part = 0; part < parts; part += 1) await normalizePart(inputs, `${folder}/part-${part}.ndjson.gz`, part, parts, { onReject });
  const unreadable = rejects.length;
  const { summary, rejects: late } = await observeSerially(store, inputsOf([folder], nothing()));
  return { summary: { ...summary, rejected: summary.rejected + unreadable }, rejects: [...rejects, ...late] };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

export function inputsFrom(lists: readonly (readonly (Snapshot | string)[])[]): Input[] {
  return lists.map((values, index) => sourceOf(values, `input ${index}`));
}
