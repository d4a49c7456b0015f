import { parseEnvelope } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { BASE_URL } from '../whole/trees.ts';

/** What a client saw while it followed `next` over HTTP from the first page to the last. */
export interface Crawl {
  /** The `count` of the first page. */
  readonly began: number;
  readonly ids: ReadonlySet<number>;
  /** All values of `count`: more than one if the crawl overlapped a publish. */
  readonly counts: ReadonlySet<number>;
  /** The number of 404 responses after which a page was requested again. */
  readonly repeats: number;
}

/** The options of a crawl. */
export interface Gait {
  /** Waits between two pages. */
  readonly pause: () => Promise<void>;
  /** Returns the suffix of the next file to read: any of the compressed variants or the plain file. */
  readonly suffix?: () => string;
  /** How often a missing page is requested again before its link counts as broken. */
  readonly retryPolicy?: number;
}

/**
 * Crawls the feed at a store according to the rewrite rules.
 * @throws Error if a link in `next` is broken or a page is truncated
 */
export async function crawl(site: string, { pause, suffix = () => '', retryPolicy = 0 }: Gait): Promise<Crawl> {
  const ids = new Set<number>();
  const counts = new Set<number>();
  let began: number | undefined;
  let repeats = 0;
  for (let url: string | null = `${BASE_URL}/rest/data/`; url !== null; ) {
    const [path = '', query = ''] = url.slice(BASE_URL.length).split('?');
    const { file: name } = resolve('GET', path, query);
    const file = name + suffix();
    let answer = await fetch(`${site}/${file}`);
    for (let left = retryPolicy; answer.status === 404 && left > 0; left -= 1) {
      repeats += 1;
      answer = await fetch(`${site}/${file}`);
    }
    if (answer.status !== 200) throw new Error(`${url} leads to ${file}, which is answered with ${answer.status}`);
    const envelope = parseEnvelope(await answer.json());
    began ??= envelope.count;
    counts.add(envelope.count);
    for (const item of envelope.results) if (isObject(item)) ids.add(Number(item['id']));
    url = envelope.next;
    if (url !== null) await pause();
  }
  return { began: began ?? 0, ids, counts, repeats };
}

/** The records that existed when a crawl began (ids from 1) and that it did not see. */
export function missedBy({ began, ids }: Crawl): number[] {
  return Array.from({ length: began }, (_, index) => index + 1).filter((id) => !ids.has(id));
}
