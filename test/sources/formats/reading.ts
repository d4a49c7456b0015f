import { parseInstant } from '../../../src/contract/instant.ts';
import type { Observation, Profile } from '../../../src/contract/snapshots/observation.ts';
import { type ObserveContext, observationsOf, type SnapshotItem } from '../../../src/sources/snapshots/observations.ts';
import type { Input, InputError } from '../../../src/sources/source.ts';

/** The time that the tests pass as --observed-at. */
export const NOON: number = parseInstant('2024-05-01T12:00:00Z') ?? 0;

const CONTEXT: ObserveContext = { from: undefined, observedAt: NOON, unescape: false };

/** An input with the given content, without a file. */
export function input(name: string, text: string): Input {
  return {
    name,
    size: undefined,
    open: async function* () {
      yield Buffer.from(text);
    },
  };
}

/** Reads the inputs in their order. */
export async function readInputs(inputs: readonly Input[], context: Partial<ObserveContext> = {}): Promise<SnapshotItem[]> {
  const found: SnapshotItem[] = [];
  for await (const batch of observationsOf(inputs, { ...CONTEXT, ...context })) found.push(...batch);
  return found;
}

export async function readText(text: string, context: Partial<ObserveContext> = {}): Promise<SnapshotItem[]> {
  return readInputs([input('snapshots', text)], context);
}

/** Reads values, one on each line. */
export async function readValues(values: readonly unknown[], context: Partial<ObserveContext> = {}): Promise<SnapshotItem[]> {
  return readText(values.map((value) => JSON.stringify(value)).join('\n'), context);
}

/** Returns the observations. An input error fails the test. */
export function observationsIn(found: readonly SnapshotItem[]): Observation[] {
  return found.map((item) => {
    if (item.kind === 'observation') return item.observation;
    throw new Error(`not an observation: ${JSON.stringify(item)}`);
  });
}

/** Returns the first profile that a value has. */
export async function profileOf(value: unknown, context: Partial<ObserveContext> = {}): Promise<Profile | undefined> {
  return observationsIn(await readValues([value], context))[0]?.profile;
}

/** Returns the only input error. */
export function errorIn(found: readonly SnapshotItem[]): InputError {
  const [first] = found;
  if (first?.kind === 'error' && found.length === 1) return first;
  throw new Error(`not one inputError: ${JSON.stringify(found)}`);
}
