import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { plural } from '../contract/plural.ts';
import type { Remote } from '../storage/remote.ts';
import { commitPath } from './commit.ts';
import { type Found, isMissing, known } from './newest.ts';
import { type SiteVersion, siteKind } from './site-version.ts';

const WAY_BACK =
  'pages as files have no versions: to publish an earlier state, run palimpsest store pull with --number and --replace, build, ' +
  'and publish with --allow-gaps (docs/backup.md in the package); nothing was changed';

/** Where a rollback goes. It stays the same if another run publishes meanwhile. */
export class Rollback {
  readonly #remote: Remote;
  #to: number | undefined;

  /** @param to the number of the version to go back to; undefined: the one before the current one */
  constructor(remote: Remote, to: number | undefined) {
    this.#remote = remote;
    this.#to = to;
  }

  /**
   * Returns the versions that stay.
   * @throws Failure no-version if the version is not live, or its file is missing or has another length
   */
  async kept(found: Found<SiteVersion>): Promise<readonly SiteVersion[]> {
    const live = found.newest?.commit.versions ?? [];
    this.#to ??= live.at(-2)?.number;
    if (this.#to === undefined) throw this.#noVersion(live, 'no version before the current one');
    const index = live.findIndex(({ number }) => number === this.#to);
    const version = live[index];
    if (version === undefined) throw this.#noVersion(live, `version ${this.#to}, which is not live`);
    const isUnlisted = version.number < found.from;
    if (isUnlisted ? (await this.#remote.head(version.file)) === undefined : isMissing(found, version))
      throw this.#noVersion(live, `version ${this.#to}, whose file is missing or has another length`);
    return live.slice(0, index + 1);
  }

  /**
   * Returns the base URL of the pages of a version, from the commit that published it. Undefined if it cannot be read.
   * @param number that of the version
   */
  async baseUrlOf(number: number): Promise<string | undefined> {
    const path = commitPath(number);
    return known(siteKind(''), path, (await this.#remote.get(path))?.bytes)?.commit.base_url;
  }

  #noVersion(live: readonly SiteVersion[], found: string): Failure {
    const { name } = this.#remote;
    const numbers = live.map(({ number }) => number);
    return new Failure('no-version', `${name} cannot go to that version`, {
      place: { file: name },
      expected:
        numbers.length === 0
          ? 'a target with versions'
          : `one of ${plural(live.length, 'live version')}, from ${numbers[0]} to ${numbers.at(-1)}`,
      found,
      hint: numbers.length === 0 ? WAY_BACK : hint`run ${suggested('versions')} to see the versions; nothing was changed`,
    });
  }
}
