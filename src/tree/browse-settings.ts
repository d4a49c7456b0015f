import { Failure } from '../contract/failure.ts';
import { encodeJson } from '../contract/json.ts';
import type { BrowseSettings } from '../contract/site.ts';
import type { BuildOptions } from './build/build.ts';
import type { LastBuild } from './build-record.ts';

/**
 * Returns what the browse files of a build say about the site: what its options give, otherwise the same as those of the last build.
 * @throws Failure usage if the options give something, and there are no browse files
 */
export function browseSettings(options: BuildOptions, last: LastBuild, html: boolean): BrowseSettings {
  const { out, about = last.about, noindex = last.noindex } = options;
  if (html) return { about: about ?? undefined, noindex: noindex || undefined };
  if (!options.about && !options.noindex) return {};
  throw new Failure('usage', '--site and --noindex need HTML pages, and the tree has none', {
    place: { file: out, field: options.about ? '--site' : '--noindex' },
    expected: 'a tree with HTML pages',
    found: 'no --html, now or in the last build',
    hint: 'add --html, or build without this option',
  });
}

/** Whether the browse files of both trees say the same about the site. */
export function haveSameBrowseSettings(one: BrowseSettings, other: BrowseSettings): boolean {
  return encodeJson([one.about, one.noindex]) === encodeJson([other.about, other.noindex]);
}
