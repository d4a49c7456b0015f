import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RunningServer, serve } from '../../src/serve/server.ts';
import { openTreeFiles } from '../../src/tree/tree-files.ts';
import { ask } from '../serve/exchange.ts';
import { temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { recordLines } from '../whole/stores.ts';
import { BASE, Site } from './site.ts';

const PUBLISHES = times('publishes of a version', 6, 100);

/** Returns the ids of the feed of a tree, newest first. */
function idsIn(zip: string): number[] {
  const files = openTreeFiles(zip);
  try {
    const pages = [...files.paths()].filter((path) => /^rest\/data\/page\/\d+\//.test(path));
    const ids = pages.flatMap((path) => idsOf(JSON.parse(files.read(path).toString())));
    return [...new Set(ids)].toSorted((one, other) => other - one);
  } finally {
    files.close();
  }
}

interface FeedPage {
  readonly next: string | null;
  readonly results: readonly { readonly id: number }[];
}

function idsOf(page: FeedPage): number[] {
  return page.results.map(({ id }) => id);
}

/** A client that follows `next` from the first page of the feed to the last one. */
class Reader {
  readonly ids: number[] = [];
  /** The version of its first page. */
  first = 0;
  #next: string | null;
  readonly #server: RunningServer;

  constructor(server: RunningServer, start: string) {
    this.#server = server;
    this.#next = start;
  }

  /** Reads one page. Returns whether it was the last one. */
  async read(): Promise<boolean> {
    if (this.#next === null) return true;
    const { status, body, headers } = await ask(this.#server.url, this.#next);
    expect(status).toBe(200);
    const page: FeedPage = JSON.parse(body.toString());
    this.ids.push(...idsOf(page));
    if (this.first === 0) this.first = Number(headers['palimpsest-version']);
    this.#next = page.next?.replace(BASE, '') ?? null;
    return this.#next === null;
  }
}

it(`readers who follow next through ${PUBLISHES} publishes miss no record, and with as_of read one version`, async () => {
  const target = join(temporaryFolder(), 'target');
  const random = chance(43);
  const site = new Site(temporaryFolder(), await recordLines(20 + 2 * PUBLISHES, 20));
  const versions = new Map<number, readonly number[]>();
  const publish = async (records: number) => {
    await site.grow(records);
    versions.set((await site.publish(target)).number, idsIn(site.zip));
  };
  await publish(20);
  const server = await serve({ out: target, host: '127.0.0.1', port: 0, rebase: false });
  let [followers, walks] = [[new Reader(server, '/rest/data/'), new Reader(server, '/rest/data/?as_of=1')] as const, 0];
  try {
    while (versions.size <= PUBLISHES) {
      if (random() < 0.15) await publish(1 + Math.floor(random() * 2));
      const isDone = await Promise.all(followers.map((reader) => reader.read()));
      if (isDone.includes(false)) continue;
      const [free, fixed] = followers;
      expect(versions.get(free.first)?.filter((id) => !free.ids.includes(id))).toEqual([]);
      expect(fixed.ids).toEqual(versions.get(fixed.first));
      const past = 1 + Math.floor(random() * versions.size);
      followers = [new Reader(server, '/rest/data/'), new Reader(server, `/rest/data/?as_of=${past}`)];
      walks += 1;
    }
  } finally {
    await server.close();
  }
  expect(walks).toBeGreaterThan(1);
  console.log(`${walks} walks through ${versions.size - 1} publishes: each record was read, and each walk with as_of had one version`);
}, 600_000);
