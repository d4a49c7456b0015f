import { Failure } from '../contract/failure.ts';

/** The failure of a store that does not hold what was written to it. */
export function damaged(path: string, found: string, cause?: unknown): Failure {
  return new Failure('bad-store', `the store ${path} is damaged`, {
    place: { file: path },
    expected: 'what was written to it',
    found,
    hint: `palimpsest store check --store ${path} says what is damaged, and with --repair derives again what can be derived`,
    cause,
  });
}

/**
 * The value of a JSON text that a store holds.
 * @param whose what it is of, for the error
 * @throws Failure bad-store where it is no JSON
 */
export function storedJson(path: string, whose: string, json: string): ReturnType<typeof JSON.parse> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw damaged(path, `${whose} is no JSON`, cause);
  }
  throw damaged(path, `${whose} is no JSON object`);
}
