import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../../src/store/exclusions/mentions.ts';

const WITH_SERVER = new Set(['nina@one.example']);
const WITHOUT = new Set(['nina_k']);

/** Returns how certain the mentions in a text of an account are. */
const inText = (account: string, text: string, keys = WITH_SERVER) => [...mentionsIn({ account, text, diff_html: '' }, keys)];

describe('a mention', () => {
  it.each([
    ['bob@one.example', 'with @nina', ['certain']],
    ['bob@two.example', 'with @nina', []],
    ['bob', 'with @nina', ['possible']],
    ['bob@two.example', 'with @NINA@one.example.', ['certain']],
    ['bob@one.example', 'with @nina@two.example', []],
    ['bob@two.example', 'https://one.example/@nina', ['certain']],
    ['bob@one.example', 'https://two.example/@nina', []],
    ['bob@one.example', '@nina_2, x@nina, @nina.k', []],
    ['bob@one.example', '(@nina) and @ｎina.', ['certain', 'certain']],
  ])('by %s in %j is %j for a handle with a server', (account, text, expected) => expect(inText(account, text)).toEqual(expected));

  it.each([
    ['bob', 'with @Nina_K', ['certain']],
    ['bob', 'with @nina_k@one.example', []],
    ['bob@one.example', 'with @nina_k', []],
    ['bob', 'https://video.example/@nina_k', ['possible']],
  ])('by %s in %j is %j for a handle without a server', (account, text, expected) =>
    expect(inText(account, text, WITHOUT)).toEqual(expected),
  );
});
