import { Failure } from '../contract/failure.ts';
import type { Collection } from '../contract/pages/collection.ts';
import { BadResponse, type HttpAnswer } from '../http/http-client.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import type { MirrorState } from '../store/mirror-state.ts';
import { PageFailed, type RetryingClient } from './retrying-client.ts';
import { mustRead } from './run-state.ts';
import { checkNext, type PageContents, pageAddress, parsePage, withoutExcludedNames } from './service-page.ts';
import { digestMismatch, parseTree, type RemoteTree, readServiceTree } from './service-tree.ts';
import type { PageSpool } from './spool/page-spool.ts';
import type { PageName } from './walk/reading-plan.ts';

export type Reading =
  | {
      readonly kind: 'page';
      readonly url: string;
      readonly contents: PageContents;
      readonly etag: string | null;
      /** The body as it was sent; null after a 304. */
      readonly sent: Buffer | null;
    }
  /** There is no such page. */
  | { readonly kind: 'missing' }
  /** The service has answered, but not with a valid page. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The service publishes another tree than before. */
  | { readonly kind: 'tree-changed' };

/** Reads pages. Checks that each is a page of the API, has a correct `next`, and matches the manifest. */
export class PageReader {
  readonly #client: RetryingClient;
  readonly #baseUrl: string;
  readonly #spool: PageSpool;
  readonly #memory: MirrorState;
  readonly #exclusions: Exclusions;
  /** The tree whose pages are read; undefined if the service is not a tree. */
  #tree: RemoteTree | undefined;
  /** The address to which the previous page linked. */
  readonly #next = new Map<string, string>();

  /** @param exclusions the accounts that must not come back */
  constructor(client: RetryingClient, baseUrl: string, spool: PageSpool, memory: MirrorState, exclusions: Exclusions) {
    this.#client = client;
    this.#baseUrl = baseUrl;
    this.#spool = spool;
    this.#memory = memory;
    this.#exclusions = exclusions;
    this.#tree = spool.tree && parseTree(spool.tree);
  }

  addressOf({ collection, number }: PageName): string {
    return this.#next.get(`${collection} ${number}`) ?? pageAddress(this.#baseUrl, collection, number);
  }

  /**
   * @param maxAttempts the maximum number of requests for the page
   * @throws Failure service-failed, bad-service, stopped
   */
  async read(name: PageName, maxAttempts: number): Promise<Reading> {
    const url = this.addressOf(name);
    const tree = this.#tree;
    const known = this.#known(name);
    const headers: Record<string, string> = known?.etag ? { 'If-None-Match': known.etag } : {};
    try {
      const reading = await this.#client.get(url, headers, (answer) => this.#readAnswer(name, answer, known?.contents), maxAttempts);
      return reading.kind === 'page' && tree !== this.#tree ? { kind: 'tree-changed' } : reading;
    } catch (error) {
      if (error instanceof PageFailed) return { kind: 'failed', reason: error.message };
      throw error;
    }
  }

  /** Returns a page that was read before, unless it must be read again. */
  #known({ collection, number }: PageName): ReturnType<PageSpool['known']> {
    // a page of a tree is read for its digest: a cache may call an old version unchanged
    const mustBeRead = this.#tree !== undefined || mustRead(collection, this.#spool.state, this.#memory.hasRejects);
    return mustBeRead ? undefined : this.#spool.known(collection, number);
  }

  async #readAnswer(name: PageName, answer: HttpAnswer, known: string | undefined): Promise<Reading> {
    const { collection, number } = name;
    const { status, headers, url, sent } = answer;
    const etag = headers.etag ?? null;
    if (status === 304 && known !== undefined) {
      const contents: PageContents = JSON.parse(known);
      return { kind: 'page', url, contents, etag, sent: null };
    }
    if (status === 404 && number > 1) return { kind: 'missing' };
    if (status !== 200 && number === 1) throw noService(answer, collection);
    if (status !== 200) throw new BadResponse(`status ${status}`);
    const body = answer.body();
    const contents = withoutExcludedNames(parsePage(name, body), this.#exclusions);
    await this.#checkDigest(name, body);
    if (contents.next !== null) this.#follow(name, contents.next);
    return { kind: 'page', url, contents, etag, sent };
  }

  #follow({ collection, number }: PageName, next: string): void {
    checkNext(this.#baseUrl, collection, number, next);
    const { search } = new URL(next, this.#baseUrl);
    this.#next.clear();
    this.#next.set(`${collection} ${number + 1}`, pageAddress(this.#baseUrl, collection, 1) + search);
  }

  async #checkDigest({ collection, number }: PageName, body: Buffer): Promise<void> {
    if (this.#tree === undefined || digestMismatch(this.#tree, collection, number, body) === undefined) return;
    const tree = await readServiceTree(this.#client, this.#baseUrl, this.#tree);
    if (tree !== undefined && tree.build !== this.#tree.build) {
      this.#tree = tree;
      this.#spool.setTree(tree);
    }
    const mismatch = digestMismatch(this.#tree, collection, number, body);
    if (mismatch !== undefined) throw new BadResponse(mismatch);
  }
}

function noService({ url, status }: HttpAnswer, collection: Collection): Failure {
  return new Failure('bad-service', `no page of /rest/${collection}/ can be read`, {
    place: { file: url },
    expected: 'status 200',
    found: `status ${status}`,
    hint:
      status === 401 || status === 403
        ? 'ask the operator of the service whether it is public'
        : 'check the base URL: rest/data/ must be below it',
  });
}

/** A page that a walk was to read and that could not be read, although the service shows page 1. */
export interface UnreadPage {
  /** Whether the service answers that there is no such page. */
  readonly isMissing: boolean;
  readonly reason: string;
  /** The `count` on page 1, and how many pages the collection has by it. */
  readonly count: number;
  readonly pages: number;
}
