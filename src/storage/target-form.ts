import { Failure } from '../contract/failure.ts';
import { SITE_MARKER, VERSIONS_MARKER } from '../contract/files/markers.ts';
import { isObject } from '../contract/json.ts';
import type { Remote } from './remote.ts';

/** What a target can have: pages as files, or numbered states of a site or of a store. */
export type TargetForm = 'pages' | 'site' | 'store';

const NAMES: { readonly [F in TargetForm]: string } = {
  pages: 'the pages of a site, as files',
  site: 'versions of a site',
  store: 'versions of a store',
};

/**
 * Refuses a target that has another form. Only needed if nothing of this form was found.
 * @throws Failure other-form
 */
export async function refuseOtherForm(remote: Remote, form: TargetForm): Promise<void> {
  const found = (await versionsAt(remote, VERSIONS_MARKER)) ?? (form !== 'pages' && (await remote.head(SITE_MARKER)) ? 'pages' : form);
  if (found === form) return;
  throw new Failure('other-form', `${remote.name} has ${NAMES[found]}`, {
    place: { file: found === 'pages' ? SITE_MARKER : VERSIONS_MARKER },
    expected: `${NAMES[form]}, or nothing`,
    found: NAMES[found],
    hint: 'name another prefix with --prefix, or another target; nothing was changed',
  });
}

/**
 * Returns of what there are versions; undefined if there are none.
 * @param path that of the marker
 */
export async function versionsAt(remote: Remote, path: string): Promise<'site' | 'store' | undefined> {
  const marker = await remote.get(path);
  try {
    const value: unknown = JSON.parse(marker?.bytes.toString() ?? '');
    const name = isObject(value) ? value['palimpsest'] : undefined;
    return name === 'site' || name === 'store' ? name : undefined;
  } catch {
    return undefined;
  }
}
