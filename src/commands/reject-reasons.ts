import { number, plural } from '../contract/amounts.ts';
import type { Failure } from '../contract/failure.ts';
import type { FailureCode } from '../contract/failure-codes.ts';
import { rejection } from '../sources/rejects/rejection.ts';
import type { InputError } from '../sources/source.ts';

/** Why a run rejected items: for each error code the number of items, and the first of them. */
export class RejectReasons {
  readonly #reasons = new Map<FailureCode, { readonly count: number; readonly first: InputError }>();
  #all = 0;

  add(inputError: InputError): void {
    const { count, first } = this.#reasons.get(inputError.code) ?? { count: 0, first: inputError };
    this.#reasons.set(inputError.code, { count: count + 1, first });
    this.#all += 1;
  }

  /** Returns a text with the count, the most frequent reason and an example of it. */
  explain(count: string): string {
    const [main] = [...this.#reasons.values()].sort((one, other) => other.count - one.count);
    return main === undefined ? count : `${count}, most often ${main.first.code} (${number(main.count)}), such as: ${main.first.found}`;
  }

  /**
   * Returns the failure of a run that rejected everything because of a wrong clock. Its items themselves need no correction.
   * @param kept the state of everything, for the message
   */
  wrongClock(kept: string): Failure | undefined {
    const future = this.#reasons.get('future-time');
    if (future === undefined || future.count * 2 < this.#all) return undefined;
    const { count, first } = future;
    const hint = `correct the clock or the names of the folders, or accept the times with --allow-future; ${kept}`;
    const snapshots = count === this.#all ? 'all snapshots are' : `${plural(count, 'snapshot')} ${count === 1 ? 'is' : 'are'}`;
    return rejection({ ...first, message: `every item was rejected: ${snapshots} from the future`, hint });
  }
}
