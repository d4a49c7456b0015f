import { Failure } from '../../contract/failure.ts';
import { VERSIONS_MARKER } from '../../contract/target-marker.ts';
import type { Target } from '../../storage/target.ts';
import { BUILD_RECORD } from '../../tree/build-record.ts';
import { STATE } from '../state/state.ts';

/**
 * Refuses a folder that contains files and was never published to. Otherwise a typo would put a tree into `/etc`.
 * A tree that was copied there is recognized by its build record. A bucket is not listed.
 * @param also the name of one more file that a publish wrote there
 * @throws Failure not-ours
 */
export function refuseOtherFiles(target: Pick<Target, 'name' | 'names'>, also?: string): void {
  const names = target.names?.() ?? [];
  // the first file that a killed run leaves is the state or the marker, or the temporary file of one
  const isOurs = (name: string) => name.startsWith(STATE) || name.startsWith(VERSIONS_MARKER) || name === BUILD_RECORD || name === also;
  if (names.length === 0 || names.some(isOurs)) return;
  throw new Failure('not-ours', `${target.name} contains files that palimpsest did not publish`, {
    place: { file: target.name },
    expected: 'a new or empty folder, or one that palimpsest published to before',
    found: names.toSorted().slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : ''),
    hint: 'check the path, or publish beside these files with --allow-other-files',
  });
}
