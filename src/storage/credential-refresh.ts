import { StorageError } from './storage-error.ts';
import type { Target } from './target.ts';

/** How often one request is made again because the store says that its credentials are over. */
const MAX_REFRESHES = 3;

/**
 * Credentials that are fetched anew where a store refuses those that it took before. Clients do so
 * themselves where credentials say when they end; some do not say it, or the clock here is late. Few stores
 * tell that this is why they refuse: where they only deny, new ones are tried once.
 */
export class CredentialRefresh {
  readonly #target: Target;
  #times = 0;
  /** Whether the store carried out a request with the credentials of now. */
  #haveWorked = false;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The same place, with credentials that are renewed. All that come from one renewal share them. */
  wrap(target: Target): Target {
    return {
      ...target,
      get: (path, signal) => this.#request(() => target.get(path, signal)),
      head: (path, signal) => this.#request(() => target.head(path, signal)),
      put: (path, upload, signal, condition) => this.#request(() => target.put(path, upload, signal, condition)),
      remove: (path, signal) => this.#request(() => target.remove(path, signal)),
    };
  }

  async #request<T>(request: () => Promise<T>): Promise<T> {
    for (let tried = 0; ; tried += 1) {
      const times = this.#times;
      try {
        const answer = await request();
        if (times === this.#times) this.#haveWorked = true;
        return answer;
      } catch (error) {
        if (!(error instanceof StorageError) || !this.#isOver(error, times, tried)) throw error;
        // many find out at once: one renews for all
        if (times === this.#times) {
          this.#times += 1;
          this.#haveWorked = false;
          this.#target.renew();
        }
      }
    }
  }

  #isOver({ kind }: StorageError, times: number, tried: number): boolean {
    if (kind === 'expired') return tried < MAX_REFRESHES;
    const isRefused = kind === 'denied' || kind === 'anonymous';
    return isRefused && (times !== this.#times || (tried === 0 && this.#haveWorked));
  }
}
