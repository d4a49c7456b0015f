import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handleKey, isPlainHandle } from '../../../src/contract/accounts/handle.ts';

describe('the key of a handle', () => {
  it.each([
    ['Nina_K', 'nina_k'],
    ['@nina_k', 'nina_k'],
    ['nina_k@mastodon.social', 'nina_k@mastodon.social'],
    ['JOSÉ', 'josé'],
    ['Jose\u0301', 'josé'],
    ['Ｊｏｓé', 'josé'],
    ['Jo\u200bs\u00adé\ufeff', 'josé'],
    [' José\u3000', 'josé'],
    ['＠José', 'josé'],
    ['@@José', 'josé'],
    ['José@Social', 'josé@social'],
  ])('of %j is %j', (handle, key) => expect(handleKey(handle)).toBe(key));

  it.each(['@', '\u200b', ' '])('of %j is the handle, because nothing of it would be left', (handle) =>
    expect(handleKey(handle)).toBe(handle),
  );

  it('is plain or not', () =>
    expect(['Nina_K@x', '', '@nina', 'ni na', 'José'].map(isPlainHandle)).toEqual([true, true, false, false, false]));

  it('distinguishes other handles', () => {
    const handles = ['jose', 'josé', 'nina', 'nina_', 'nin a', 'ı', 'i'];
    expect(new Set(handles.map(handleKey)).size).toBe(handles.length);
  });

  it('is its own key, and the lower case of a plain handle', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (handle) => {
        expect(handleKey(handleKey(handle))).toBe(handleKey(handle));
        if (isPlainHandle(handle)) expect(handleKey(handle)).toBe(handle.toLowerCase());
      }),
    );
  });
});
