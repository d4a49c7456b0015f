import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/publish/address.ts';
import { inCrew } from '../../src/publish/crew.ts';
import { pageHeaders, REVALIDATE } from '../../src/publish/headers.ts';
import { openTree, readPage } from '../../src/publish/local-tree.ts';
import { pathOf } from '../../src/tree/layout.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, pagesIn } from '../whole/trees.ts';
import { type Crawl, crawl, missedBy } from './crawling.ts';
import { FORMS, formsAt, timesFor } from './forms.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { fetchAll, rclone, S3_KEYS, STORES, type Store } from './stores.ts';

/** How many publishes readers cross; the full proof has 50, and at least four crawls for each. */
const PUBLISHES = process.env['PALIMPSEST_TEST_PUBLISHES'];
const FEW = 5;
const CRAWLERS = 8;
/** New records a night, so that pages move by less than one, by some, and by many. */
const NIGHTS = [3, 10, 1, 25, 7, 60];

const folder = folderOfFile();

/** Clients that crawl again and again at random paces until they are told to stop. */
class Crawlers {
  readonly crawls: Crawl[] = [];
  readonly #ends: Promise<void>[];
  #isOver = false;

  /** @param suffixes what the names of a page's files end with: each time one of them is asked for */
  constructor(site: string, suffixes: readonly string[] = ['']) {
    this.#ends = Array.from({ length: CRAWLERS }, async (_, index) => {
      const random = chance(index);
      const suffix = () => suffixes[Math.floor(random() * suffixes.length)] ?? '';
      while (!this.#isOver) {
        const pace = [0, 0, 1, 2, 5][Math.floor(random() * 5)] ?? 0;
        const pause = async () => void (pace > 0 && (await setTimeout(random() * 2 * pace)));
        this.crawls.push(await crawl(site, pause, suffix));
      }
    });
    for (const end of this.#ends) end.catch(() => {}); // awaited in stop
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }
}

describe.each(STORES)('crawlers during publishes to $name', (kind) => {
  const skip = kind.requirement.skip || rclone.skip;
  let store: Store;
  beforeAll(async () => {
    if (skip) return;
    Object.assign(process.env, S3_KEYS);
    store = await kind.start();
  });
  afterAll(() => store?.stop());

  it.skipIf(skip).each(formsAt(kind))(
    'miss no record and find no broken link where pages are kept $name, also after publishes that were killed',
    async (form) => {
      const publishes = timesFor(form, PUBLISHES, FEW);
      const prefix = `race-${FORMS.indexOf(form)}`;
      const random = chance(5);
      const growth = NIGHTS.reduce((sum, night) => sum + night, 0) * Math.ceil(publishes / NIGHTS.length);
      const history = await Growing.of(folder, `${prefix} ${kind.name}`, { records: 3_000, most: 3_000 + growth }, form.build);
      const args = publishArgs(history.out, kind.address(prefix), form.publish);
      const env = kind.env(store.endpoint);
      await publishJson(args, env);
      const crawlers = new Crawlers(kind.site(store.endpoint, prefix), form.suffixes);
      let kills = 0;
      try {
        for (let night = 0; night < publishes; night += 1) {
          await history.grow(NIGHTS[night % NIGHTS.length] ?? 1);
          if (night % 3 !== 2) await publishJson(args, env);
          else {
            // left as it is until the next night’s tree comes over it
            const { signal } = await runAndKill(args, { delay: 300 + random() * 1_500 }, { env });
            if (signal === 'SIGKILL') kills += 1;
          }
          await setTimeout(300);
        }
        await publishJson(args, env);
      } finally {
        await crawlers.stop();
      }
      const { crawls } = crawlers;
      const crossed = crawls.filter(({ counts }) => counts.size > 1).length;
      console.log(
        `race at ${kind.name}, ${form.name}: ${crawls.length} crawls, ${crossed} of them across publishes, of ${publishes}, ${kills} of them killed`,
      );
      expect(crawls.flatMap(missedBy)).toEqual([]);
      expect(crossed).toBeGreaterThan(publishes);
      const fetched = `${folder}/${prefix} fetched from ${kind.name}`;
      await fetchAll(kind, store.endpoint, prefix, fetched);
      const files = new Map(pagesIn(fetched));
      files.delete('publish.json');
      expect(differences(form.opened(files), history.files())).toEqual([]);
    },
    60_000 + Number(PUBLISHES ?? FEW) * 30_000,
  );

  it.skipIf(skip)(
    'miss records where the pages go all at once from the first',
    async () => {
      const history = await Growing.of(folder, `wrong ${kind.name}`, { records: 3_000 });
      await publishJson(publishArgs(history.out, kind.address('wrong')), kind.env(store.endpoint));
      const target = await openTarget(kind.address('wrong'), '', { connections: 32, secrets: {}, ...kind.access(store.endpoint) });
      const headers = pageHeaders({ cacheControl: REVALIDATE, gzip: false });
      const crawlers = new Crawlers(kind.site(store.endpoint, 'wrong'));
      const random = chance(7);
      let missed = 0;
      try {
        for (let night = 0; night < 20 && missed === 0; night += 1) {
          await history.grow(7);
          const tree = await openTree(history.out);
          const { pages } = tree.digests.data;
          // new pages first, so that holes are all that can be found
          await inCrew([pages, ...Array(pages).keys()], 32, async (slot) => {
            // as long as over a network, and not always the same
            await setTimeout(20 + 120 * random());
            const [bytes, digest] = [await readPage(tree, 'data', slot), tree.digests.data.get(slot) ?? ''];
            await target.put(pathOf('data', slot, pages), { bytes, headers, digest }, new AbortController().signal);
          });
          await setTimeout(300);
          missed = crawlers.crawls.flatMap(missedBy).length;
        }
      } finally {
        await crawlers.stop();
        target.close();
      }
      expect(crawlers.crawls.flatMap(missedBy).length).toBeGreaterThan(0);
    },
    120_000,
  );
});
