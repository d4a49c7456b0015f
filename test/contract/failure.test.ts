import { describe, expect, it } from 'vitest';
import { errorOfThread, Failure } from '../../src/contract/failure.ts';
import { hint, hintText, suggested } from '../../src/contract/hint.ts';

const HINT = hint`first ${suggested('store check', { '--repair': true }, ['a.db'])}, then ${suggested('verify')}`;

describe('a Failure', () => {
  it('has no details but those that it was given', () => {
    const failure = new Failure('usage', 'wrong');
    expect({ ...failure, message: failure.message }).toEqual({
      ...{ name: 'Failure', message: 'wrong', code: 'usage', place: {}, others: [], unlisted: 0 },
      ...{ expected: undefined, found: undefined, hint: undefined, hintParts: undefined },
    });
  });

  it('has a hint as text and as data', () => {
    const cause = new Error('before');
    const others = [new Failure('late', 'other')];
    const details = { place: { line: 3 }, expected: 'a', found: 'b', cause, others, unlisted: 2 };
    expect(new Failure('late', 'wrong', { ...details, hint: HINT })).toMatchObject({
      ...details,
      hint: 'first `palimpsest store check`, then `palimpsest verify`',
      hintParts: HINT,
    });
  });
});

describe('a hint', () => {
  it('has its commands as data', () => {
    expect(HINT).toEqual([
      'first ',
      { command: 'store check', options: { '--repair': true }, args: ['a.db'] },
      ', then ',
      { command: 'verify', options: {}, args: [] },
      '',
    ]);
  });

  it('without commands is its text', () => expect(hintText('again', () => 'never')).toBe('again'));
});

describe('an error of another thread', () => {
  it('stays a Failure', () => {
    const failure = new Failure('late', 'wrong', { place: { line: 3 }, hint: HINT });
    const restored = errorOfThread({ ...failure, message: failure.message });
    expect(restored).toBeInstanceOf(Failure);
    expect(restored).toEqual(failure);
    expect({ ...restored }).toEqual({ ...failure });
  });

  it.each([
    [{ message: 'full', code: 'SQLITE_FULL' }, 'full', { code: 'SQLITE_FULL' }],
    [{ message: 'wrong', code: 'late' }, 'wrong', { code: 'late' }],
    [{ message: 'wrong', code: 'toString', place: {} }, 'wrong', { code: 'toString' }],
    [{ message: 'wrong', code: 5, place: {} }, 'wrong', { code: 5 }],
    ['thrown', 'thrown', {}],
    [null, 'null', {}],
  ])('keeps the message and the properties of %j', (error, message, properties) => {
    const restored = errorOfThread(error);
    expect(restored).not.toBeInstanceOf(Failure);
    expect(restored).toMatchObject({ message, ...properties });
  });

  it('is itself if it is an Error', () => {
    const error = new RangeError('far');
    expect(errorOfThread(error)).toBe(error);
  });
});
