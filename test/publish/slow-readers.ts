import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { vi } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { parseEnvelope } from '../../src/contract/pages/envelope.ts';
import type { PublishOptions, PublishSummary } from '../../src/publish/publish.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { openTarget } from '../../src/storage/open-target.ts';
import { Turns } from '../versions/turns.ts';
import { chance } from '../whole/chance.ts';
import { BASE_URL } from '../whole/trees.ts';
import { changed, publishHere } from './in-process.ts';

interface Reader {
  /** The URL of the next page; undefined at the end. */
  file: string | undefined;
  began: number;
  readonly ids: Set<number>;
}

/**
 * Clients that follow `next` in a folder and read one page at each change. At each change another client starts.
 * Every third client reads to the end at once. As in nginx with `gzip_static`, a page is compressed if that file exists.
 */
export class SlowReaders {
  readonly #site: string;
  readonly #isCompressed: boolean;
  readonly #readers: Reader[] = [];
  readonly #broken: string[] = [];

  constructor(site: string, isCompressed = false) {
    this.#site = site;
    this.#isCompressed = isCompressed;
  }

  /** Lets each client read one page. */
  step(): void {
    this.#readers.push({ file: 'rest/data/index.json', began: 0, ids: new Set() });
    for (const reader of this.#readers) this.#read(reader);
    const last = this.#readers.at(-1);
    if (this.#readers.length % 3 === 0) while (last?.file !== undefined) this.#read(last);
  }

  /** Lets all clients read to the end. Returns every record that a client missed, and every broken link. */
  missed(): string[] {
    this.step();
    for (const reader of this.#readers) while (reader.file !== undefined) this.#read(reader);
    return [
      ...this.#broken,
      // the records that existed when a reader began have the ids from 1
      ...this.#readers.flatMap(({ began, ids }, index) =>
        Array.from({ length: began }, (_, id) => id + 1).flatMap((id) => (ids.has(id) ? [] : [`reader ${index} missed ${id}`])),
      ),
    ];
  }

  #read(reader: Reader): void {
    if (reader.file === undefined) return;
    const plain = join(this.#site, reader.file);
    const isPacked = this.#isCompressed && existsSync(`${plain}.gz`);
    if (!isPacked && !existsSync(plain)) {
      this.#broken.push(`${reader.file} is not there`);
      reader.file = undefined;
      return;
    }
    const bytes = isPacked ? gunzipSync(readFileSync(`${plain}.gz`)) : readFileSync(plain);
    const { count, next, results } = parseEnvelope(JSON.parse(bytes.toString()));
    reader.began ||= count;
    for (const item of results) if (isObject(item)) reader.ids.add(Number(item['id']));
    const [path = '', query = ''] = (next ?? '').slice(BASE_URL.length).split('?');
    reader.file = next === null ? undefined : resolve('GET', path, query).file;
  }
}

/** Publishes to a folder in which writes and deletes are done in random order. After each of them, the readers read on. */
export async function publishBefore(
  readers: SlowReaders,
  site: string,
  out: string,
  more: Partial<PublishOptions> = {},
): Promise<PublishSummary> {
  const target = await openTarget(site, '', { connections: 32, secrets: {} });
  const turns = new Turns(chance(3));
  const inTurn =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await turns.take();
      const result = await work(...args);
      readers.step();
      return result;
    };
  // however long the readers take, the lease does not expire
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const slow = changed(target, { put: inTurn(target.put.bind(target)), remove: inTurn(target.remove.bind(target)) });
  return publishHere(slow, out, more).finally(() => void vi.useRealTimers());
}
