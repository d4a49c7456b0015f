import { codeOf, Failure } from '../contract/failure.ts';

/** The client packages of some kinds of targets, with the releases that palimpsest is tested with. */
export const CLIENTS = {
  '@aws-sdk/client-s3': '3.1169.0',
  '@azure/identity': '4.13.1',
  '@azure/storage-blob': '12.32.0',
} as const;

/**
 * Loads the client library of a kind of target. It is an optional dependency: most users need one, many need none.
 * @throws Failure no-client
 */
export async function loadClient<T>(name: keyof typeof CLIENTS, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Failure('no-client', `this target needs ${name}, which is not installed`, {
      expected: `the package ${name} ${CLIENTS[name]}, which palimpsest is tested with`,
      found: 'no such package (other kinds of target do not need it)',
      hint: `run npm install ${name}@${CLIENTS[name]} in the folder in which palimpsest is installed (add --global if palimpsest is installed globally)`,
      cause,
    });
  }
}
