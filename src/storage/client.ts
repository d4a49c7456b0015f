import { Failure } from '../contract/failure.ts';
import { CLIENTS } from './client-releases.ts';

/**
 * Loads a kind's client, which is optional to install: most who publish need one of them, many none.
 * @throws Failure no-client
 */
export async function loadClient<T>(name: keyof typeof CLIENTS, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new Failure('no-client', `this target needs ${name}, which is not installed`, {
      expected: `the package ${name} ${CLIENTS[name]}, which palimpsest is tested with`,
      found: 'no such package: other targets do not need it',
      hint: `run npm install ${name}@${CLIENTS[name]} beside palimpsest (with --global, where palimpsest is)`,
      cause,
    });
  }
}
