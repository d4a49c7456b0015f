import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordDiff } from '../../src/browse/word-diff.ts';

const shown = (before: string, after: string) => {
  const signs = { kept: '', removed: '-', added: '+' };
  return wordDiff(before, after).parts.map(({ kind, text }) => `${signs[kind]}${text}`);
};

describe('the comparison of two versions', () => {
  it.each([
    ['maps of 1 place', 'maps of 2 places', ['maps of ', '-1 place', '+2 places']],
    ['Labour MP', 'Bristol NW MP', ['-Labour ', '+Bristol NW ', 'MP']],
    ['Member UK Assembly', 'Promoted by Evans', ['-Member UK Assembly', '+Promoted by Evans']],
    ['write a@b.org now', 'write c@b.org now', ['write ', '-a@b.org', '+c@b.org', ' now']],
    ['see https://b.org/a.', 'see https://b.org/c.', ['see ', '-https://b.org/a.', '+https://b.org/c.']],
    ['é東京a@b.org', 'é東京c@b.org', ['é東京', '-a@b.org', '+c@b.org']],
    ['a b', 'a c b', ['a ', '+c ', 'b']],
    ['', 'new text', ['+new text']],
    ['same', 'same', ['same']],
  ])('shows "%s" and "%s" as changed words in a row', (before, after, parts) => {
    expect(shown(before, after)).toEqual(parts);
  });

  it('compares what is between the common beginning and the common end, and says if this is too long', () => {
    const words = 'many words '.repeat(3000);
    expect(wordDiff(`${words}a b ${words}`, `${words}a c ${words}`)).toEqual({
      parts: [
        { kind: 'kept', text: `${words}a ` },
        { kind: 'removed', text: 'b' },
        { kind: 'added', text: 'c' },
        { kind: 'kept', text: ` ${words}` },
      ],
      isCompared: true,
    });
    expect(wordDiff(`same 1 ${words} 2`, `same 3 ${words} 4`)).toEqual({
      parts: [
        { kind: 'kept', text: 'same ' },
        { kind: 'removed', text: `1 ${words} 2` },
        { kind: 'added', text: `3 ${words} 4` },
      ],
      isCompared: false,
    });
  });

  it('has both texts, whatever they are', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '|', '🌻'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { parts } = wordDiff(before, after);
        const without = (kind: string) => parts.filter((part) => part.kind !== kind).map((part) => part.text);
        expect([without('added').join(''), without('removed').join('')]).toEqual([before, after]);
      }),
    );
  });
});
