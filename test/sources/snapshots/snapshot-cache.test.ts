import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Instant, parseInstant } from '../../../src/contract/instant.ts';
import type { FormatName } from '../../../src/sources/formats/all-formats.ts';
import { SnapshotReader } from '../../../src/sources/snapshots/snapshot-reader.ts';
import { hostileText } from '../../support/histories.ts';
import { times } from '../../support/proof.ts';

interface Reading {
  readonly from?: FormatName;
  readonly observedAt?: Instant;
}

function reader({ from, observedAt }: Reading): SnapshotReader {
  return new SnapshotReader({ from, observedAt, unescape: false });
}

const values = (texts: readonly string[]) => texts.map((text, line) => ({ text, line, path: '' }));

/** Checks that texts read one after the other give the same as each alone, without a cache. */
async function expectSameAlone(texts: readonly string[], reading: Reading = {}): Promise<unknown[]> {
  const together = await reader(reading).read(values(texts), 'file');
  const alone = [];
  for (const value of values(texts)) alone.push(...(await reader(reading).read([value], 'file')));
  expect(together).toEqual(alone);
  return together;
}

const [ONE, TWO, THREE] = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00.5Z', '2020-01-03T01:00:00+01:00'];

const TIME = /2020-01-0\d[^"\\]*/;
const TIMES = new RegExp(TIME, 'g');

describe('SnapshotCache', () => {
  it('returns a repeated snapshot without parsing, with the time of the new one', async () => {
    const text = (time: string) => `{"observed_at":"${time}","screen_name":"jack","bio":"a \\"b\\" \\\\ \\n é"}`;
    const [first, second, third] = await reader({}).read(values([ONE, TWO, THREE].map(text)), 'file');
    if (first?.kind !== 'observation' || second?.kind !== 'observation' || third?.kind !== 'observation') throw new Error('not observed');
    expect(second.observation.profile).toBe(first.observation.profile);
    expect([first, second, third].map(({ observation }) => observation.observed_at)).toEqual([ONE, TWO, THREE].map(parseInstant));
    expect(third.place).toEqual({ file: 'file', line: 2 });
  });

  it.each<[string, Reading, readonly string[]]>([
    [
      'a service snapshot with a nested observed_at',
      { observedAt: parseInstant(ONE) ?? 0 },
      [ONE, TWO].map((time) => `{"id_str":"7","screen_name":"a","description":"b","status":{"observed_at":"${time}"}}`),
    ],
    [
      'a tweet',
      {},
      [ONE, TWO].map((time) => `{"created_at":"Wed Jan 01 00:00:00 +0000 2020","x":{"observed_at":"${time}"},"user":{"screen_name":"a"}}`),
    ],
  ])('gives the same result as reading alone for %s', async (_, reading, texts) => {
    const found = await expectSameAlone([...texts, ...texts], reading);
    expect(found).toHaveLength(4);
    for (const each of found) expect(each).toMatchObject({ observation: { observed_at: parseInstant(ONE) } });
  });

  it('does not reuse a snapshot that differs after its key or before its time', async () => {
    const texts = ['"bio":"a","observed_at"', '"bio":"b","observed_at"'].flatMap((start) =>
      ['c', 'd'].map((end) => `{${start}:"${ONE}","screen_name":"jack","location":"${'x'.repeat(64)}${end}"}`),
    );
    expect(await expectSameAlone(texts)).toHaveLength(4);
  });

  it('gives the same result as reading alone for any text', async () => {
    const time = fc.constantFrom(ONE, TWO, THREE, '', 'no time', '\\u0032020-01-01T00:00:00Z');
    const string = fc.oneof(
      fc.constant(`"${ONE}"`),
      hostileText.map((text) => JSON.stringify(text)),
      time.map((text) => `"${text}"`),
      fc.constantFrom('"\\"observed_at\\":\\"2020-01-01T00:00:00Z\\""', '"observed_at"', '"a"', 'null'),
    );
    const key = fc.constantFrom(
      '"bio"',
      '"observed_at"',
      '"observed_at" ',
      '"observed_at"\t',
      '"\\u006fbserved_at"',
      '"location"',
      '"x\\"observed_at"',
    );
    const field = fc.tuple(key, fc.constantFrom(':', ': ', ' :  '), string).map((parts) => parts.join(''));
    const text = fc
      .tuple(fc.array(field, { maxLength: 3 }), time, fc.array(field, { maxLength: 2 }))
      .map(([before, time, after]) => `{${[...before, `"observed_at":"${time}"`, '"screen_name":"a"', ...after].join(',')}}`);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (texts) => {
        const retimed = (text: string) => [ONE, TWO].flatMap((time) => [text.replace(TIME, time), text.replaceAll(TIMES, time)]);
        const others = texts.flatMap((text) => [text, ...retimed(text)]);
        await expectSameAlone([...texts, ...others]);
      }),
      { numRuns: times('lists of texts', 100, 1000) },
    );
  });
});
