import { setMaxListeners } from 'node:events';
import { Renewal } from '../storage/renewal.ts';
import { heeding, type Patience, patient, Traffic } from '../storage/retry.ts';
import type { Condition, Fetched, Held, Target, Upload } from '../storage/target.ts';

/** How a target is spoken to. */
export interface RemoteOptions {
  /** How many requests are under way at once. */
  readonly concurrency: number;
  readonly patience: Pick<Patience, 'tries' | 'timeout'>;
  /** Ends the run: nothing new is begun. */
  readonly signal: AbortSignal;
}

/** A target whose requests are made again where that helps, and else end with a Failure. */
export interface Remote {
  readonly name: string;
  readonly traffic: Traffic;
  readonly get: (path: string) => Promise<Fetched | undefined>;
  readonly head: (path: string) => Promise<Held | undefined>;
  /** With a condition it throws Trouble, by which the caller tells whether the condition held. */
  readonly put: (path: string, upload: Upload, condition?: Condition) => Promise<string>;
  readonly remove: (path: string) => Promise<void>;
}

export function openRemote(plainTarget: Target, { patience, signal }: RemoteOptions): Remote {
  // as many requests wait on it as are under way
  setMaxListeners(0, signal);
  const traffic = new Traffic();
  const target = new Renewal(plainTarget).around(patient(plainTarget, { ...patience, signal }, traffic));
  return {
    name: target.name,
    traffic,
    get: (path) => heeding(target, path, () => target.get(path, signal)),
    head: (path) => heeding(target, path, () => target.head(path, signal)),
    put: (path, upload, condition) => {
      const request = () => target.put(path, upload, signal, condition);
      return condition === undefined ? heeding(target, path, request) : request();
    },
    remove: (path) => heeding(target, path, () => target.remove(path, signal)),
  };
}
