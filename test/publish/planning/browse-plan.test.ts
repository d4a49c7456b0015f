import { describe, expect, it } from 'vitest';
import { type BrowsePair, planBrowse } from '../../../src/publish/planning/browse-plan.ts';
import type { Stage } from '../../../src/publish/planning/steps.ts';
import { UNKNOWN_DIGEST } from '../../../src/publish/planning/tree-comparison.ts';

const pair = (path: string, wanted: string | undefined, there: string | undefined, isListed = true): BrowsePair => ({
  ...{ path, wanted, there, isListed },
});
const planOf = (pairs: readonly BrowsePair[], hasOtherHeaders = false) =>
  planBrowse({ browsePairs: () => pairs, bytesOf: () => 5, hasOtherHeaders });
const PAIRS = [
  pair('browse/changed.html', 'a', 'b'),
  pair('browse/gone.html', undefined, 'b'),
  pair('browse/new.html', 'a', undefined),
  pair('browse/lost.html', undefined, undefined),
  pair('browse/same.html', 'a', 'a'),
  pair('index.html', 'h', undefined),
  pair('browse/unknown.html', 'a', UNKNOWN_DIGEST),
];
const lanesOf = (stages: readonly Stage[]) => stages.map((stage) => [...stage()].map((lane) => [...lane]));
const upload = (path: string, digest: string, reason: string) => [{ action: 'upload', path, digest, bytes: 5, reason }];

describe('the plan of the browse files', () => {
  it('sends new files first and the home page last, and deletes what the tree no longer has', () => {
    const { files, atTarget, stages, deleteStages } = planOf(PAIRS);
    expect({ files, atTarget }).toEqual({ files: 5, atTarget: 4 });
    expect(lanesOf(stages)).toEqual([
      [upload('browse/new.html', 'a', 'new')],
      [upload('browse/changed.html', 'a', 'changed'), upload('browse/unknown.html', 'a', 'unknown')],
      [upload('index.html', 'h', 'new')],
    ]);
    expect(lanesOf(deleteStages)).toEqual([[[{ action: 'delete', path: 'browse/gone.html', digest: '', bytes: 0, reason: 'gone' }]]]);
  });

  it('sends every file if the headers are others', () => {
    const { stages } = planOf([pair('browse/same.html', 'a', 'a')], true);
    expect(lanesOf(stages)).toEqual([[], [upload('browse/same.html', 'a', 'headers')], []]);
  });

  it.each([
    [[], false],
    [[pair('index.html', 'h', 'h')], false],
    [[pair('index.html', undefined, 'h', false)], false],
    [[pair('index.html', 'h', 'h', false)], true],
    [[pair('a', 'h', undefined, false), pair('b', 'h', 'h')], true],
  ])('knows whether the manifest at the target lacks a file of %j: %s', (pairs, hasUnlisted) => {
    expect(planOf(pairs).hasUnlisted).toBe(hasUnlisted);
  });
});
