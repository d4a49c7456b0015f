import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Violation } from '../../../src/contract/json-shape.ts';
import { encodeState, type Holder, type PublishState, parseState, type TreeSize } from '../../../src/publish/state/state.ts';
import { VERSION } from '../../../src/version.ts';
import { hostileText } from '../../support/histories.ts';

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const tree: fc.Arbitrary<TreeSize> = fc.record(
  {
    records: count,
    accounts: count,
    data_pages: count,
    account_pages: count,
    page_size: count,
    account_page_size: count,
    compress: hostileText,
  },
  { noNullPrototype: true },
);
const holder: fc.Arbitrary<Holder> = fc.record(
  { machine: hostileText, process: count, token: fc.uuid(), beat: count },
  { noNullPrototype: true },
);
const state: fc.Arbitrary<Omit<PublishState, 'palimpsest'>> = fc.record(
  {
    state: fc.constantFrom('published', 'publishing'),
    trees: fc.array(tree, { maxLength: 3 }),
    manifest: hostileText,
    headers: hostileText,
    base_url: hostileText,
    exclusions: count,
    holder: fc.option(holder),
  },
  { noNullPrototype: true },
);

describe('publish.json', () => {
  it('returns the state that was written, with the release that wrote it', () => {
    fc.assert(
      fc.property(state, (written) => {
        expect(parseState(encodeState(written))).toEqual({ palimpsest: VERSION, ...written });
      }),
    );
  });

  it('is rejected if it is truncated or has an extra byte', () => {
    fc.assert(
      fc.property(state, fc.nat(), (written, at) => {
        const bytes = encodeState(written);
        // the last byte is the newline
        expect(() => parseState(bytes.subarray(0, at % (bytes.length - 1)))).toThrow(Violation);
        expect(() => parseState(Buffer.concat([bytes, Buffer.from('}')]))).toThrow(Violation);
      }),
    );
  });

  const size = { records: 1, accounts: 1, data_pages: 1, account_pages: 1, page_size: 1, account_page_size: 1, compress: '' };
  const links = { base_url: 'https://example.org', exclusions: 0 };
  const good = { palimpsest: '0.1.0', state: 'published', trees: [size], manifest: 'ab', headers: 'a | b | ', ...links, holder: null };

  it('is accepted without the fields that depend on options', () => {
    expect(parseState(Buffer.from(JSON.stringify(good)))).toEqual(good);
  });

  it.each<[string, object, string]>([
    ['another state', { ...good, state: 'building' }, 'state'],
    ['no trees', { ...good, trees: undefined }, 'trees'],
    ['a tree of another form', { ...good, trees: [size, { ...size, records: -1 }] }, 'trees[1].records'],
    ['a tree that is null', { ...good, trees: [null] }, 'trees[0]'],
    ['a holder without a heartbeat number', { ...good, holder: { machine: 'a', process: 1, token: 'b' } }, 'holder.beat'],
    ['no base URL', { ...good, base_url: undefined }, 'base_url'],
    ['no number of exclusions', { ...good, exclusions: undefined }, 'exclusions'],
    ['no holder field', { ...good, holder: undefined }, 'holder'],
    ['an extra field', { ...good, more: 1 }, 'more'],
    ['a list instead of an object', [good], 'item'],
  ])('is rejected with %s', (_, value, field) => {
    let caught: unknown;
    try {
      parseState(Buffer.from(JSON.stringify(value)));
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(Violation);
    expect(caught).toMatchObject({ field });
  });
});
