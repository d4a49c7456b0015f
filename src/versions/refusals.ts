import { Failure } from '../contract/failure.ts';
import type { Remote } from '../storage/remote.ts';
import type { Version } from './commit.ts';

/** The refusal to replace a version whose state the store of a ZIP never had. */
export function otherStore({ name }: Remote, zip: string, current: Version): Failure {
  return new Failure('store-diverged', `${zip} was built from a store that never had the current version at ${name}`, {
    place: { file: zip },
    expected: `a ZIP of a store that had the fingerprint ${current.store} of version ${current.number}`,
    found: 'an older store, or another one',
    hint: 'build from the newest store, or go back with --rollback first; or publish with --replace: earlier versions stay readable; nothing was changed',
  });
}

/** The refusal of a change after which no version would be live. */
export function noneStays({ name }: Remote): Failure {
  return new Failure('no-version', `no version at ${name} can stay`, {
    place: { file: name },
    expected: 'a live version that is sound and has no removed account',
    found: 'only versions that are damaged or have a removed account',
    hint: 'build the ZIP again and publish it; nothing was changed',
  });
}
