import { expect, it } from 'vitest';
import { type Segment, segmentsOf } from '../../src/diff/diff-html.ts';

it('segmentsOf returns kept, removed and added text in reading order', () => {
  const expected: readonly Segment[] = [
    { kind: 'removed', text: 'Writer' },
    { kind: 'added', text: 'Editor' },
    { kind: 'kept', text: ' at @paper & ' },
    { kind: 'added', text: '<' },
    { kind: 'kept', text: 'more' },
    { kind: 'added', text: '>\nhere' },
  ];
  expect(segmentsOf('Writer at @paper & more', 'Editor at @paper & <more>\r\nhere')).toEqual(expected);
});

it('segmentsOf returns no segments for two empty texts', () => {
  expect(segmentsOf('', '')).toEqual([]);
  expect(segmentsOf('a', '')).toEqual([{ kind: 'removed', text: 'a' }]);
  expect(segmentsOf('', 'a')).toEqual([{ kind: 'added', text: 'a' }]);
  expect(segmentsOf('a\r', 'a\n')).toEqual([{ kind: 'kept', text: 'a\n' }]);
});
