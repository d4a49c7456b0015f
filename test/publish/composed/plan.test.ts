import { describe, expect, it } from 'vitest';
import type { ComposedHead, Published } from '../../../src/composed/head.ts';
import { logOf } from '../../../src/composed/log.ts';
import { planComposed, type Situation } from '../../../src/publish/composed/plan.ts';
import type { UnlistedState } from '../../../src/publish/composed/unlisted.ts';
import type { Generation } from '../../../src/rewrite/compose.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-22T03:00:00Z');
const root = (digit: number) => String(digit).repeat(64);

/** A generation that was built some days ago. */
function generation(number: number, daysAgo: number): Generation {
  const sizes = { records: number, accounts: 1, page_size: 100, account_page_size: 100 };
  return { generation: number, time: new Date(NOW - daysAgo * DAY).toISOString(), ...sizes, data: root(number), account: root(9) };
}

/** @param settled a generation that was published two days ago */
function headOf(generations: readonly Generation[], settled = generations.at(-1)?.generation ?? 0): ComposedHead {
  const last = generations.at(-1);
  const tree = (hash: string) => ({ count: 1, root: hash, node: { level: 1, children: [] } });
  return {
    palimpsest: '0.1.0',
    layout: 'composed',
    base_url: 'https://history.example',
    page_size: 100,
    account_page_size: 100,
    generation: last?.generation ?? 0,
    store: 'store',
    last_exclusion: null,
    data: tree(last?.data ?? ''),
    account: tree(root(9)),
    log: logOf(generations, () => {}),
    published: [{ generation: settled, time: new Date(NOW - 2 * DAY).toISOString() }],
  };
}

const ALL = [generation(1, 200), generation(2, 120), generation(3, 80), generation(4, 1)];
const numbers = (generations: readonly Generation[]) => generations.map((one) => one.generation);
/** The numbers of the states in a list, without their times. */
const states = (list: readonly UnlistedState[]) => list.map(({ data }) => Number(data[0]));
const noted = (number: number, daysAgo: number): UnlistedState => ({
  data: root(number),
  account: root(9),
  since: NOW - daysAgo * DAY,
  complete: true,
});

/** The plan for all generations at a target that has some of them. */
function plan(before: readonly Generation[], changes: Partial<Situation> = {}) {
  const found = before.length === 0 ? undefined : { head: headOf(before), generations: before };
  const rest = { noted: [], isSuccessor: true, hasRemoved: false, repair: false, keep: undefined, now: NOW };
  return planComposed({ head: headOf(ALL), generations: ALL, found, ...rest, ...changes });
}

describe('the plan of a composed publish', () => {
  it('sends every generation to a new target, each compared with the one before', () => {
    const { states, dropped, isIdle } = plan([]);
    expect(states.map(({ state, base }) => [state.generation, base?.generation])).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
    expect([dropped, isIdle]).toEqual([[], false]);
  });

  it('sends only the generations after the one at the target', () => {
    const { states, head } = plan(ALL.slice(0, 3));
    expect(states.map(({ state, base }) => [state.generation, base?.generation])).toEqual([[4, 3]]);
    expect(head.log).toEqual(headOf(ALL).log);
    expect(head.published).toBeUndefined();
    expect(plan(ALL)).toMatchObject({ isIdle: true, states: [], dropped: [], deleted: [] });
  });

  it('keeps a generation until the next one is older than the time to keep', () => {
    const { kept, dropped, deleted, head } = plan(ALL, { keep: 90 * DAY });
    expect([numbers(kept), numbers(dropped), states(deleted)]).toEqual([[2, 3, 4], [1], [1]]);
    expect(head.log.count).toBe(3);
  });

  it('keeps the state that readers have now, however old it is', () => {
    const { kept, deleted } = plan(ALL.slice(0, 2), { keep: DAY });
    expect([numbers(kept), states(deleted)]).toEqual([[2, 3, 4], [1]]);
  });

  it('keeps what readers of the last day may have, however old it is', () => {
    const kept = (published: Published[] | undefined) =>
      numbers(plan(ALL, { keep: DAY, found: { head: { ...headOf(ALL), published }, generations: ALL } }).kept);
    const time = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();
    expect(
      kept([
        { generation: 2, time: time(25) },
        { generation: 4, time: time(23) },
      ]),
    ).toEqual([2, 3, 4]);
    expect(
      kept([
        { generation: 2, time: time(50) },
        { generation: 3, time: time(25) },
      ]),
    ).toEqual([3, 4]);
    expect(kept([{ generation: 4, time: time(23) }])).toEqual([1, 2, 3, 4]);
    expect(kept(undefined)).toEqual([1, 2, 3, 4]);
    expect(numbers(plan([], { keep: DAY }).kept)).toEqual([4]);
  });

  it('does not send again what an earlier publish dropped', () => {
    const { kept, states, isIdle } = plan(ALL.slice(1));
    expect([numbers(kept), states, isIdle]).toEqual([[2, 3, 4], [], true]);
  });

  it('drops all generations of another history, and deletes those that are too old or have a removed account', () => {
    const other = [generation(5, 50), generation(6, 30), generation(7, 2)];
    const replaced = { isSuccessor: false } as const;
    expect(numbers(plan(other, replaced).dropped)).toEqual([5, 6, 7]);
    expect(states(plan(other, replaced).deleted)).toEqual([]);
    expect(states(plan(other, { ...replaced, keep: 20 * DAY }).deleted)).toEqual([5]);
    expect(states(plan(other, { ...replaced, hasRemoved: true }).deleted)).toEqual([5, 6, 7]);
  });

  it('deletes after a removal all states that the log does not have', () => {
    const changes = { isSuccessor: false, hasRemoved: true, noted: [noted(8, 1), noted(7, 1)] };
    const { deleted, unlisted } = plan([generation(5, 50)], changes);
    expect(states(deleted)).toEqual([5, 8, 7]);
    // what is sent is noted, until the log has it
    expect(unlisted.map(({ data, complete }) => [Number(data[0]), complete])).toEqual(numbers(ALL).map((number) => [number, false]));
  });

  it('notes the states that it drops without deleting them, and deletes them when they are too old', () => {
    const other = [generation(5, 50), generation(6, 2)];
    const dropping = plan(other, { isSuccessor: false });
    expect(states(dropping.deleted)).toEqual([]);
    expect(states(dropping.unlisted)).toEqual([5, 6, 1, 2, 3, 4]);
    const later = (keep: number | undefined) => plan(ALL, { keep, noted: [noted(5, 30), noted(6, 10)] });
    expect([states(later(undefined).deleted), states(later(undefined).unlisted)]).toEqual([[], [5, 6]]);
    expect([states(later(300 * DAY).deleted), states(later(300 * DAY).unlisted)]).toEqual([[], [5, 6]]);
    const kept = plan(ALL, { keep: 20 * DAY, noted: [noted(5, 30), noted(6, 10)] });
    expect([numbers(kept.dropped), states(kept.deleted), states(kept.unlisted)]).toEqual([[1, 2], [1, 2, 5], [6]]);
  });

  it('neither notes nor deletes a state that both logs have', () => {
    const { deleted, unlisted, isIdle } = plan(ALL, { noted: ALL.map(({ generation: number }) => noted(number, 100)), keep: 300 * DAY });
    expect([deleted, unlisted, isIdle]).toEqual([[], [], true]);
  });

  it('sends all states again to repair a target', () => {
    expect(plan(ALL, { repair: true }).states.map(({ state }) => state.generation)).toEqual([1, 2, 3, 4]);
  });
});
