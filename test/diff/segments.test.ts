import { expect, it } from 'vitest';
import { segmentsOf } from '../../src/diff/diff-html.ts';

it('a change is kept, removed and added text, in the order in which it is read', () => {
  expect(segmentsOf('Writer at @paper & more', 'Editor at @paper & <more>\r\nhere')).toEqual([
    { kind: 'removed', text: 'Writer' },
    { kind: 'added', text: 'Editor' },
    { kind: 'kept', text: ' at @paper & ' },
    { kind: 'added', text: '<' },
    { kind: 'kept', text: 'more' },
    { kind: 'added', text: '>\nhere' },
  ]);
});

it('nothing becomes nothing', () => {
  expect(segmentsOf('', '')).toEqual([]);
  expect(segmentsOf('a', '')).toEqual([{ kind: 'removed', text: 'a' }]);
  expect(segmentsOf('', 'a')).toEqual([{ kind: 'added', text: 'a' }]);
  expect(segmentsOf('a\r', 'a\n')).toEqual([{ kind: 'kept', text: 'a\n' }]);
});
