import { beforeAll, describe, expect, it } from 'vitest';
import { parseState, STATE } from '../../../src/publish/state/state.ts';
import type { Condition, Target } from '../../../src/storage/target.ts';
import { type Conditions, SimulatedStore } from '../../versions/simulated-store.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences } from '../../whole/trees.ts';
import { Growing } from '../growing.ts';
import { filesAt, publishHere } from '../in-process.ts';

const folder = folderOfFile();
let trees: Record<'small' | 'large', Growing>;
beforeAll(async () => {
  const [small, large] = await Promise.all([
    Growing.of(folder, 'small', { records: 60, accounts: 10 }),
    Growing.of(folder, 'large', { records: 100, accounts: 10 }),
  ]);
  trees = { small, large };
});

/** What a store makes of the conditions of writes: of all, or of one kind only. */
type Support = Conditions | 'ignores If-Match' | 'ignores If-None-Match';

function targetAt(store: SimulatedStore, support: Support): Target {
  const isPartial = support === 'ignores If-Match' || support === 'ignores If-None-Match';
  store.conditions = isPartial ? 'kept' : support;
  const seen = (condition: Condition | undefined) =>
    isPartial && (condition === 'absent') === (support === 'ignores If-None-Match') ? undefined : condition;
  const target = store.client();
  return { ...target, put: (path, upload, signal, condition) => target.put(path, upload, signal, seen(condition)) };
}

function publishTo(store: SimulatedStore, tree: keyof typeof trees, support: Support, singlePublisher = false) {
  return publishHere(targetAt(store, support), trees[tree].out, { concurrency: 4, allowGaps: true, singlePublisher });
}

describe('a publish', () => {
  it.each<Support>(['ignored', 'unsupported', 'ignores If-Match', 'ignores If-None-Match'])(
    'is refused and changes nothing at a store whose conditions are: %s',
    async (support) => {
      const store = new SimulatedStore();
      await expect(publishTo(store, 'small', support)).rejects.toMatchObject({ code: 'no-conditions' });
      expect([...store.objects.keys()]).toEqual([]);
      expect(await publishTo(store, 'small', 'kept')).toMatchObject({ isConditional: true });
      const [files, state] = [filesAt(store), store.text(STATE)];
      await expect(publishTo(store, 'large', support)).rejects.toMatchObject({ code: 'no-conditions' });
      expect(differences(filesAt(store), files)).toEqual([]);
      expect(store.text(STATE)).toBe(state);
    },
  );

  it('is refused at a new target of a store that checks a condition before it writes', async () => {
    const store = new SimulatedStore();
    await expect(publishTo(store, 'small', 'checked first')).rejects.toMatchObject({ code: 'no-conditions' });
    expect([...store.objects.keys()]).toEqual([]);
  });

  it('of the only publisher to a store without conditions deletes files in the next run only', { timeout: 30_000 }, async () => {
    const store = new SimulatedStore();
    const isNamed = (path: string) => !path.includes('/');
    expect(await publishTo(store, 'large', 'ignored', true)).toMatchObject({ isConditional: false, left: 0 });
    const { left, done } = await publishTo(store, 'small', 'ignored', true);
    expect(left).toBeGreaterThan(0);
    expect(done.deletes).toBe(0);
    const missing = [...trees.small.files()].filter(([path, bytes]) => !isNamed(path) && !filesAt(store).get(path)?.equals(bytes));
    expect(missing).toEqual([]);
    const next = await publishTo(store, 'small', 'ignored', true);
    expect(next).toMatchObject({ wasInterrupted: true, left: 0, done: { uploads: 0, deletes: left } });
    expect(differences(filesAt(store), trees.small.files())).toEqual([]);
    expect(parseState(Buffer.from(store.text(STATE) ?? ''))).toMatchObject({ state: 'published', holder: null });
    expect(await publishTo(store, 'small', 'ignored')).toMatchObject({ isConditional: undefined, plan: { isIdle: true } });
  });
});
