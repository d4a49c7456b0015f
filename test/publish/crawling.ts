import { parseEnvelope } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { BASE_URL } from '../whole/trees.ts';

/** What a client saw that followed `next` over HTTP from the first page to the last. */
export interface Crawl {
  /** What the first page said `count` was. */
  readonly began: number;
  readonly ids: ReadonlySet<number>;
  /** All that pages said `count` was: more than one where it met a publish. */
  readonly counts: ReadonlySet<number>;
  /** How many answers said that a page is not there, and were asked for again. */
  readonly repeats: number;
}

/** How a client crawls. */
export interface Gait {
  /** Waits between two pages. */
  readonly pause: () => Promise<void>;
  /** Gives what the name of the next page's file ends with: where it is kept compressed too, any of those. */
  readonly suffix?: () => string;
  /** How often a page that is not there is asked for again before its link is broken. */
  readonly retryPolicy?: number;
}

/**
 * Crawls the feed at a store, by the rewrite rules.
 * @throws Error where `next` leads nowhere or a page is not whole
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

/** The records that were there when a crawl began (their ids begin with 1) and that it did not see. */
export function missedBy({ began, ids }: Crawl): number[] {
  return Array.from({ length: began }, (_, index) => index + 1).filter((id) => !ids.has(id));
}
