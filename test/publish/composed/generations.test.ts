import { describe, expect, it } from 'vitest';
import type { ComposedHead } from '../../../src/composed/head.ts';
import { logOf } from '../../../src/composed/log.ts';
import { Failure } from '../../../src/contract/failure.ts';
import { generationsToPublish, lostGenerations } from '../../../src/publish/composed/generations.ts';
import type { Generation } from '../../../src/rewrite/compose.ts';

const chunks = new Map<string, Buffer>();
const read = async (hash: string) => chunks.get(hash) ?? Buffer.from('');

/** A generation with a state, which a letter names. */
function generation(number: number, state: string, day = number): Generation {
  const sizes = { records: 1, accounts: 1, page_size: 100, account_page_size: 100 };
  const time = new Date(Date.UTC(2026, 10, day)).toISOString();
  return { generation: number, time, ...sizes, data: state.repeat(64), account: '9'.repeat(64) };
}

function headOf(generations: readonly Generation[], exclusion: string | null = null): ComposedHead {
  const last = generations.at(-1);
  const tree = { count: 1, root: '', node: { level: 1, children: [] } };
  const log = logOf(generations, ({ hash, pieces }) => void chunks.set(hash, Buffer.concat(pieces)));
  const site = { base_url: 'https://history.example', page_size: 100, account_page_size: 100 };
  const head = { palimpsest: '0.1.0', layout: 'composed', ...site, store: '', last_exclusion: exclusion } as const;
  return { ...head, generation: last?.generation ?? 0, data: tree, account: tree, log };
}

const AT_TARGET = [generation(1, 'a'), generation(2, 'b'), generation(3, 'c')];

async function joined(
  own: readonly Generation[],
  append: boolean,
  { removed = false, target = AT_TARGET, withdrawn = target }: { removed?: boolean; target?: Generation[]; withdrawn?: Generation[] } = {},
) {
  const exclusion = removed ? '2026-11-22T00:00:00Z' : null;
  const former = headOf(withdrawn);
  const found =
    withdrawn === target ? headOf(target) : { ...headOf(target), withdrawn: [{ generation: former.generation, log: former.log.root }] };
  const { generations, isSuccessor } = await generationsToPublish(headOf(own, exclusion), found, append, read);
  return { isSuccessor, list: generations.map(({ generation: number, data }) => `${number}${data.slice(0, 1)}`).join(' '), generations };
}

describe('the generations to publish', () => {
  it('are those of the tree if it continues the target', async () => {
    expect(await joined([...AT_TARGET, generation(4, 'd')], false)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c 4d' });
    // a tree that dropped its earlier generations
    expect(await joined([generation(3, 'c'), generation(4, 'd')], false)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c 4d' });
    // a target that dropped them, or went back
    const target = AT_TARGET.slice(0, 2);
    expect(await joined([...AT_TARGET, generation(4, 'd')], false, { target })).toMatchObject({ isSuccessor: true });
  });

  it('are those of the target and the last one of a new tree, if that is allowed', async () => {
    const own = [generation(1, 'a', 9), generation(2, 'd', 10)];
    expect(await joined(own, false)).toMatchObject({ isSuccessor: false });
    expect(await joined(own, true)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c 4d' });
  });

  it('are those of the target and the later ones of a tree with its present state', async () => {
    const own = [generation(1, 'c', 9), generation(2, 'd', 10), generation(3, 'e', 11)];
    for (const append of [false, true]) expect(await joined(own, append)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c 4d 5e' });
    expect(await joined(own.slice(0, 1), false)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c' });
  });

  it('do not continue the target with an old copy of it, or with a copy that was changed', async () => {
    for (const append of [false, true]) {
      expect(await joined(AT_TARGET.slice(0, 2), append)).toMatchObject({ isSuccessor: false });
      expect(await joined([...AT_TARGET.slice(0, 2), generation(3, 'x')], append)).toMatchObject({ isSuccessor: false });
    }
  });

  it('have ascending times, even if the clock of the new tree is behind', async () => {
    const { generations } = await joined([generation(1, 'd', 1)], true);
    expect(generations.at(-1)?.time).toBe('2026-11-03T00:00:00.001Z');
  });

  it('have no number of the target if they do not continue it', async () => {
    expect(await joined([generation(1, 'x', 9)], true, { removed: true })).toMatchObject({ isSuccessor: false, list: '4x' });
    expect(await joined([generation(4, 'x')], false, { removed: true })).toMatchObject({ isSuccessor: false, list: '4x' });
    expect(await joined([generation(1, 'x', 9), generation(2, 'y', 10)], false)).toMatchObject({ isSuccessor: false, list: '4x 5y' });
  });

  it('are not those of a tree from before a removal at the target, unless both logs have generations in common', async () => {
    const before = headOf([generation(1, 'a'), generation(2, 'x')], '2026-11-21T00:00:00Z');
    const after = headOf([generation(4, 'a')], '2026-11-22T00:00:00Z');
    for (const append of [false, true]) {
      const refused = await generationsToPublish(before, after, append, read);
      expect(refused.isSuccessor).toBe(false);
      expect(lostGenerations('target', before, after, refused.isSuccessor)).toMatchObject({ code: 'generations-lost' });
    }
    // the account was allowed again
    const allowed = headOf([generation(4, 'a'), generation(5, 'x')], null);
    expect(await generationsToPublish(allowed, after, false, read)).toMatchObject({ isSuccessor: true });
    // a tree that has its own numbers in between
    const gap = headOf([generation(3, 'z'), generation(4, 'a'), generation(5, 'x')], null);
    expect(await generationsToPublish(gap, after, false, read)).toMatchObject({ isSuccessor: true });
  });

  it('are found after a removal although a part of the log at the target is missing', async () => {
    const many = Array.from({ length: 600 }, (_, index) => generation(index + 1, 'abcdef'.charAt(index % 6)));
    const found = headOf(many);
    const [first, ...others] = found.log.node.children;
    expect(others.length).toBeGreaterThan(0);
    const last = others.at(-1);
    const missing = async (hash: string) => {
      if (hash === first?.[0] || hash === last?.[0]) throw new Failure('target-edited', 'missing');
      return await read(hash);
    };
    const head = headOf([generation(1, 'x', 900)], '2026-11-22T00:00:00Z');
    const { generations, before, isSuccessor, unknown } = await generationsToPublish(
      head,
      { ...found, data: { ...found.data, root: 'r' } },
      false,
      missing,
    );
    expect(isSuccessor).toBe(false);
    expect(generations).toMatchObject([{ generation: 601 }]);
    // the head names the present state, so only the others of these two leaves are unknown
    expect(before.at(-1)).toMatchObject({ generation: 600, time: many.at(-1)?.time, data: 'r' });
    expect(unknown).toBe((first?.[1] ?? 0) + (last?.[1] ?? 0) - 1);
  });

  describe('after a rollback', () => {
    const wentBack = { target: AT_TARGET.slice(0, 1), withdrawn: AT_TARGET };

    it('are those of the tree again, with their numbers', async () => {
      expect(await joined(AT_TARGET, false, wentBack)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c' });
      expect(await joined(AT_TARGET.slice(0, 2), false, wentBack)).toMatchObject({ isSuccessor: true, list: '1a 2b' });
      expect(await joined([...AT_TARGET, generation(4, 'd')], false, wentBack)).toMatchObject({ isSuccessor: true, list: '1a 2b 3c 4d' });
    });

    it('do not have the number of a state that was withdrawn', async () => {
      expect(await joined([generation(1, 'x', 9)], true, wentBack)).toMatchObject({ isSuccessor: true, list: '1a 4x' });
      const same = [generation(1, 'a', 9), generation(2, 'x', 10)];
      expect(await joined(same, false, wentBack)).toMatchObject({ isSuccessor: true, list: '1a 4x' });
      const removed = { ...wentBack, removed: true };
      expect(await joined([generation(1, 'x', 9)], false, removed)).toMatchObject({ isSuccessor: false, list: '4x' });
      expect(await joined([generation(2, 'x', 9)], false, removed)).toMatchObject({ isSuccessor: false, list: '4x' });
    });

    it('do not continue the target with a tree that gave the number to another state', async () => {
      for (const append of [false, true]) {
        const own = [...AT_TARGET.slice(0, 1), generation(2, 'x')];
        expect(await joined(own, append, wentBack)).toMatchObject({ isSuccessor: false });
      }
    });

    it('continue a log with a gap', async () => {
      const gap = [generation(1, 'a'), generation(4, 'd')];
      expect(await joined([...gap, generation(5, 'e')], false, { target: gap })).toMatchObject({ isSuccessor: true, list: '1a 4d 5e' });
      expect(await joined([generation(1, 'x', 9)], true, { target: gap })).toMatchObject({ isSuccessor: true, list: '1a 4d 5x' });
    });
  });
});
