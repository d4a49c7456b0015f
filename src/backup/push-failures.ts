import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, suggested } from '../contract/hint.ts';
import type { Remote } from '../storage/remote.ts';
import { SCHEMA_VERSION } from '../store/database/schema.ts';
import type { StoreImage } from '../store/store-image.ts';
import { type StoreVersion, stateOfVersion } from './store-version.ts';

/** What a push can do if the newest version is from a later time. */
export const DESPITE_TIME = 'push with --replace';

/**
 * Returns the steps that repeat on the newest version what a store has and that version lacks. Only its own export repeats a removal.
 * @param versions those at the target, oldest first
 */
function repeating(image: StoreImage, versions: readonly StoreVersion[]): Exclude<Hint, string> {
  const [to, all] = [{ '--store': 'other.db' }, image.removalsSince('')];
  const base = versions.findLast((one) => image.descendsFrom(stateOfVersion(one)));
  const later = base === undefined ? '' : `, ${image.removalsSince(base.time)} since version ${base.number}`;
  const exported = [', repeat its removals there with ', suggested('export ndjson', { '--to': '-' }), ` | grep '^{"excluded_at"' | `];
  const imported = [
    suggested('import', { ...to, '--on-conflict': 'replace' }, ['-']),
    ` (${image.path} has ${plural(all, 'removal')}${later})`,
  ];
  const removals = all === 0 ? [] : [...exported, ...imported];
  return ['run ', suggested('store pull', to), ...removals, ', then import or observe your sources into other.db and push that'];
}

/** Returns the failure for a push that another one has overtaken. */
export function overtaken({ name }: Remote, image: StoreImage, versions: readonly StoreVersion[], based: number | undefined): Failure {
  const newest = versions.at(-1)?.number;
  return new Failure('target-busy', `another push to ${name} finished first, with version ${newest}`, {
    place: { file: name },
    expected: based === undefined ? 'a target without versions' : `version ${based} as the newest version`,
    found: `version ${newest}`,
    hint: [...repeating(image, versions), '; nothing was changed'],
  });
}

/** @param versions those at the target, oldest first */
export function diverged({ name }: Remote, image: StoreImage, versions: readonly StoreVersion[], newest: StoreVersion): Failure {
  const { path, state } = image;
  const earlier = versions.findLast(({ store, revision }) => store === state.fingerprint && revision === state.revision);
  if (earlier !== undefined && earlier !== newest) return older(name, path, earlier.number, newest);
  const isSame = state.fingerprint === newest.store;
  return new Failure('store-diverged', `${path} does not descend from the newest version at ${name}`, {
    place: { file: path },
    expected: `a store that descends from version ${newest.number}, which has ${plural(newest.records, 'record')}`,
    found:
      state.revision === newest.revision && isSame
        ? 'the same revision, with accounts last observed at earlier times'
        : `a store with ${isSame ? 'the same records and accounts' : plural(state.records, 'record')} that does not descend from it, or that another program changed`,
    hint:
      newest.schema < SCHEMA_VERSION
        ? `if this store was imported from an export of version ${newest.number}, push with --replace: see "Upgrade" in docs/backup.md; nothing was changed`
        : [...repeating(image, versions), '; or push with --replace: the target keeps the other version too; nothing was changed'],
  });
}

function older(name: string, path: string, number: number, newest: StoreVersion): Failure {
  return new Failure('store-diverged', `${path} is version ${number} at ${name}, which is older than version ${newest.number}`, {
    place: { file: path },
    expected: `a store that descends from version ${newest.number}, which has ${plural(newest.records, 'record')}`,
    found: `version ${number} of the same store`,
    hint: [
      'run ',
      suggested('store pull'),
      ` to go on from version ${newest.number}; or push with --replace to go back to this one: the target keeps the other versions too; nothing was changed`,
    ],
  });
}
