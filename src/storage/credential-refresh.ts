import { StorageError } from './storage-error.ts';
import type { Target } from './target.ts';

/** How often one request is retried because its credentials have expired. */
const MAX_REFRESHES = 3;

/**
 * Loads credentials again if a store rejects credentials that it accepted before. Clients do this themselves if the
 * expiry is known. Some credentials have no expiry, or the local clock is slow. Few stores report that credentials
 * have expired. If a store only answers "denied", new credentials are tried once.
 */
export class CredentialRefresh {
  readonly #target: Pick<Target, 'renew'>;
  #times = 0;
  /** Whether the store has carried out a request with the current credentials. */
  #haveWorked = false;

  constructor(target: Pick<Target, 'renew'>) {
    this.#target = target;
  }

  /** Makes a request, and makes it again after a refresh. All requests of one CredentialRefresh share the credentials. */
  async request<T>(request: () => Promise<T>): Promise<T> {
    for (let refreshes = 0; ; refreshes += 1) {
      const times = this.#times;
      try {
        const response = await request();
        if (times === this.#times) this.#haveWorked = true;
        return response;
      } catch (error) {
        if (!(error instanceof StorageError) || !this.#canRefresh(error, times, refreshes)) throw error;
        // many requests fail at once: the first one refreshes for all
        if (times === this.#times) {
          this.#times += 1;
          this.#haveWorked = false;
          this.#target.renew();
        }
      }
    }
  }

  #canRefresh({ kind }: StorageError, times: number, refreshes: number): boolean {
    if (kind === 'expired') return refreshes < MAX_REFRESHES;
    const isRefused = kind === 'denied' || kind === 'anonymous';
    return isRefused && (times !== this.#times || (refreshes === 0 && this.#haveWorked));
  }
}
