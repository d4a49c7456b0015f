import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { remove } from 'fs-extra/esm';
import type { Exclusion } from '../contract/accounts/exclusion.ts';
import { otherBaseUrl } from '../contract/base-url.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';
import { DAY_MS } from '../contract/instant.ts';
import type { Remote } from '../storage/remote.ts';
import { targetBusy } from '../storage/target.ts';
import { type Lock, lock } from '../store/database/lock-file.ts';
import { ZipDamage } from '../zip/member.ts';
import { fetchVersion } from './fetch-version.ts';
import { removedAccountsIn } from './find-removed.ts';
import { type Found, isMissing } from './newest-commit.ts';
import type { SiteMemory, SitePublishOptions, SitePublishSummary } from './publish-site.ts';
import { keptVersions, timeAfter } from './retention.ts';
import { baseUrlOf, keptByRollback } from './rollback.ts';
import { type LocalZip, openLocalZip, type SiteVersion } from './site-version.ts';
import { type Draft, isFuture, type NextList, refuseFuture } from './write-commit.ts';

/** Decides which versions are live. What it found out about a version is known if the decision is repeated. */
export class LiveVersions {
  readonly #remote: Remote;
  readonly #options: SitePublishOptions;
  readonly #states = new Map<string, 'sound' | 'damaged' | 'removed'>();
  readonly #rebuilt = new Map<string, { readonly zip: LocalZip; readonly draft: Draft<SiteVersion> }>();
  /** The files that the store knows: those that it published, or looked into. */
  readonly #seen: ReadonlySet<string>;
  /** The version to go back to. It stays the same if another run publishes meanwhile. */
  #rollback: number | true | undefined;
  #draft: Draft<SiteVersion> | undefined;
  #lock: Lock | undefined;
  #live: readonly SiteVersion[] = [];

  constructor(remote: Remote, options: SitePublishOptions, seen: ReadonlySet<string>) {
    this.#remote = remote;
    this.#options = options;
    this.#seen = seen;
    this.#rollback = options.rollback;
  }

  /** The numbers of the versions with a removed account, and of those that are damaged. */
  get found(): Pick<SitePublishSummary, 'removed' | 'damaged'> {
    const having = (state: string) => this.#live.filter(({ file }) => this.#states.get(file) === state).map(({ number }) => number);
    return { removed: having('removed'), damaged: having('damaged') };
  }

  async next(found: Found<SiteVersion>): Promise<NextList<SiteVersion> | undefined> {
    const { zip, keep, rebuild, memory } = this.#options;
    const { newest } = found;
    const before = newest?.commit.versions ?? [];
    this.#live = this.#rollback === undefined ? before : await keptByRollback(this.#remote, found, this.#rollback);
    if (this.#rollback !== undefined) this.#rollback = this.#live.at(-1)?.number;
    const current = before.at(-1);
    // if only earlier ones are missing, they stay listed until --repair: they can be restored from a copy
    const isLost = current !== undefined && isMissing(found, current);
    for (const one of isLost ? before : []) if (isMissing(found, one)) this.#states.set(one.file, 'damaged');
    await this.#check();
    const state = ({ file }: SiteVersion) => this.#states.get(file) ?? 'sound';
    const sound = this.#live.filter((one) => state(one) === 'sound');
    const rewritten = this.#live.flatMap(({ number, time, file }) => {
      const draft = this.#rebuilt.get(file)?.draft;
      return draft === undefined ? [] : [{ number, time, draft }];
    });
    const isSame = (one?: SiteVersion) => one?.manifest === zip?.facts.manifest && one?.incomplete === zip?.facts.incomplete;
    const isCurrent = sound.at(-1) === this.#live.at(-1) && isSame(sound.at(-1));
    const hasNew = zip !== undefined && !(isCurrent && newest?.commit.base_url === zip.build.base_url);
    const base = isLost ? sound.at(-1) : current;
    const isKnown = this.#options.replace || base === undefined || this.#seen.has(base.file);
    if (hasNew && !isKnown && memory?.hadState(base.store) === false) throw otherStore(this.#remote, zip.path, base);
    const moved = zip === undefined ? undefined : otherBaseUrl(this.#remote.name, newest?.commit.base_url, zip.build.base_url);
    if (moved !== undefined && !this.#options.allowOtherBaseUrl) throw moved;
    if (hasNew) this.#draft ??= await zip.draft();

    // those that are sent stay; the new one is current
    const notBefore = this.#options.replace ? undefined : this.#live.at(-1)?.time;
    if (hasNew) refuseFuture(this.#remote, notBefore, this.#wayBack());
    const now = timeAfter(notBefore);
    const times = [...sound, ...rewritten].toSorted((one, other) => one.number - other.number);
    const added = hasNew ? [{ number: Number.MAX_SAFE_INTEGER, time: new Date(now).toISOString() }] : [];
    const all: readonly Pick<SiteVersion, 'number' | 'time'>[] = [...times, ...added];
    const kept = new Set(keptVersions(all, keep, Date.now(), now - DAY_MS).map(({ number }) => number));
    const drafts = rewritten
      .filter(({ number }) => kept.has(number))
      .map(({ number, time, draft }) => ({
        ...draft,
        version: (published: Parameters<typeof draft.version>[0]) => ({ ...draft.version(published), number, time }),
      }));
    // the version that a rollback makes current can have been built for another address
    const last = times.findLast(({ number }) => kept.has(number));
    const earlier = last && this.#rollback !== undefined ? await baseUrlOf(this.#remote, last) : undefined;
    const list: NextList<SiteVersion> = {
      change: this.#change(this.#rollback !== undefined, rebuild !== undefined, hasNew),
      base_url: zip?.build.base_url ?? earlier ?? newest?.commit.base_url,
      notBefore,
      kept: sound.filter(({ number }) => kept.has(number)),
      added: [...drafts, ...(hasNew && this.#draft !== undefined ? [this.#draft] : [])],
    };
    if (list.kept.length + list.added.length === 0 && before.length > 0) throw noneStays(this.#remote);
    return list.added.length === 0 && list.kept.length === before.length ? undefined : list;
  }

  /** How to go on after versions from the future. */
  #wayBack(): Hint {
    const last = this.#live.findLast(({ time }) => !isFuture(time));
    if (last === undefined) return ['publish with --replace'];
    return hint`run ${suggested('publish', { '--rollback': last.number })}, then publish again`;
  }

  async close(): Promise<void> {
    for (const { zip } of this.#rebuilt.values()) zip.close();
    if (this.#lock !== undefined) await remove(this.#options.folder);
    this.#lock?.release();
  }

  /** Creates the folder for fetched versions anew: a killed run may have left some, with removed accounts. */
  async #emptyFolder(): Promise<void> {
    const { folder } = this.#options;
    this.#lock ??= lock(`${folder}.lock`);
    if (this.#lock === undefined) throw targetBusy(this.#remote, `another run that fetches versions to ${folder}`);
    await remove(folder);
    await mkdir(folder);
  }

  #change(isRollback: boolean, isRewrite: boolean, hasNew: boolean): NextList<SiteVersion>['change'] {
    const { removed, damaged } = this.found;
    if (isRollback) return 'rollback';
    if (removed.length > 0) return isRewrite ? 'rewrite' : 'remove';
    if (damaged.length > 0) return 'repair';
    return hasNew ? 'publish' : 'keep';
  }

  /** Returns the removals to look for in a version. One that another store published can have any removed account. */
  #removalsFor({ file }: SiteVersion): readonly Exclusion[] {
    const { all, pending } = this.#options.removals;
    return this.#seen.has(file) ? pending : all;
  }

  /** Fetches the versions that are not known, and searches each for removed accounts. */
  async #check(): Promise<void> {
    const unknown = this.#live.filter(
      (version) => !this.#states.has(version.file) && (this.#options.repair || this.#removalsFor(version).length > 0),
    );
    if (unknown.length > 0 && this.#lock === undefined) await this.#emptyFolder();
    for (const [index, version] of unknown.entries()) {
      this.#options.onProgress?.('check', index, unknown.length);
      const path = join(this.#options.folder, `${version.number}.zip`);
      const isWhole = await fetchVersion(this.#remote, version, path);
      this.#states.set(version.file, isWhole ? await this.#look(version, path) : 'damaged');
      await rm(path);
    }
  }

  async #look(version: SiteVersion, path: string): Promise<'sound' | 'damaged' | 'removed'> {
    const exclusions = this.#removalsFor(version);
    if (exclusions.length === 0) return 'sound';
    const zip = openLocalZip(path);
    try {
      const hasRecords: SiteMemory['hasRecords'] = (records) => this.#options.memory?.hasRecords(records) === true;
      const accounts = removedAccountsIn(zip.reader, exclusions, hasRecords);
      if (accounts.removed.length === 0) return 'sound';
      if (this.#options.rebuild !== undefined && !this.#options.dryRun) {
        // it excludes the accounts of all removals
        const rebuilt = await this.#options.rebuild(zip, removedAccountsIn(zip.reader, this.#options.removals.all, hasRecords));
        this.#rebuilt.set(version.file, { zip: rebuilt, draft: await rebuilt.draft() });
      }
      return 'removed';
    } catch (error) {
      if (error instanceof ZipDamage) return 'damaged';
      throw error;
    } finally {
      zip.close();
    }
  }
}

/** The refusal to replace a version whose state the store of a ZIP does not know. */
function otherStore({ name }: Remote, zip: string, current: SiteVersion): Failure {
  return new Failure('store-diverged', `${zip} was built from a store that does not know the state of the current version at ${name}`, {
    place: { file: zip },
    expected: `a ZIP of a store that had the fingerprint ${current.store} of version ${current.number}`,
    found: 'an older store, another one, or one that another program changed',
    hint: 'build from the newest store, or go back with --rollback first; or publish with --replace: earlier versions stay readable; nothing was changed',
  });
}

/** The refusal of a change after which no version would be live. */
function noneStays({ name }: Remote): Failure {
  return new Failure('no-version', `no version at ${name} can stay`, {
    place: { file: name },
    expected: 'a live version that is sound and has no removed account',
    found: 'only versions that are damaged or have a removed account',
    hint: 'build the ZIP again and publish it; nothing was changed',
  });
}
