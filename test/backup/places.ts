import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_KIND } from '../../src/backup/store-version.ts';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { commitPath, HEAD, parseCommit } from '../../src/versions/commit.ts';
import { fetchAll, rclone, STORES, type Store, type StoreKind } from '../publish/stores.ts';
import { filesIn } from '../support/folder.ts';

const ACCESS = { connections: 8, secrets: {} };

/** A target for the versions of a store, on a real server or in a folder. */
export interface Place {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly open: () => Promise<Target>;
  /** Returns all objects there, read by an independent client. */
  readonly objects: () => Promise<Map<string, Buffer>>;
}

/** A kind of target that provides as many separate places as needed. */
export interface PlaceKind {
  readonly name: string;
  readonly skip: boolean;
  readonly isConditional: boolean;
  readonly kind: StoreKind | undefined;
  readonly start: () => Promise<Store | undefined>;
  readonly place: (store: Store | undefined, folder: string, name: string) => Place;
}

export const PLACES: readonly PlaceKind[] = [
  {
    name: 'a folder',
    skip: false,
    isConditional: true,
    kind: undefined,
    start: async () => undefined,
    place: (_, folder, name) => {
      const path = join(folder, `place ${name}`);
      mkdirSync(path);
      return { address: path, env: {}, open: () => openTarget(path, '', ACCESS), objects: async () => filesIn(path) };
    },
  },
  ...STORES.map(
    (kind): PlaceKind => ({
      name: kind.name,
      skip: kind.requirement.skip || rclone.skip,
      isConditional: kind.isConditional,
      kind,
      start: kind.start,
      place: (store, folder, name) => {
        if (store === undefined) throw new Error('the store was not started');
        let times = 0;
        const objects = async () => {
          times += 1;
          const into = join(folder, `fetched ${kind.name} ${name} ${times}`);
          mkdirSync(into);
          await fetchAll(kind, store.endpoint, name, into);
          return filesIn(into);
        };
        const open = () => {
          Object.assign(process.env, kind.keys);
          return openTarget(kind.address(name), '', { ...ACCESS, ...kind.access(store.endpoint) });
        };
        return { address: kind.address(name), env: kind.env(store.endpoint), open, objects };
      },
    }),
  ),
];

/** Returns the objects that no kept version needs. */
export function strays(objects: ReadonlyMap<string, Buffer>): string[] {
  const commit = parseCommit(STORE_KIND, HEAD, objects.get(HEAD) ?? Buffer.of());
  const commits = Array.from({ length: commit?.number ?? 0 }, (_, index) => commitPath(index + 1));
  const needed = new Set(['palimpsest.json', HEAD, ...commits, ...(commit?.versions ?? []).map(({ file }) => file)]);
  return [...objects.keys()].filter((path) => !needed.has(path));
}
