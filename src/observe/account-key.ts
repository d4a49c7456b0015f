import { handleKey } from '../contract/handle.ts';
import type { Profile } from '../contract/observation.ts';

/**
 * Returns a number for the account of a profile: its stable id, or its handle if the source has no stable id. It orders snapshots of one
 * time. Two accounts may have the same number, and an account that is known by its id and by its handle has two.
 * @returns a hash of 52 bits
 */
export function accountKey({ id, screen_name = '' }: Pick<Profile, 'id' | 'screen_name'>): number {
  const text = id === undefined ? `@${handleKey(screen_name)}` : id;
  let [one, two] = [0x2f0b4c47, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul((two ^ (two >>> 15)) + unit, 0x9e3779b1);
  }
  return mixed(one) * 2 ** 20 + (mixed(two) >>> 12);
}

/** Spreads a difference in any bit over all bits: the finalizer of MurmurHash3. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
