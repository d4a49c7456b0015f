import { describe, expect, it } from 'vitest';
import { timestampOf } from '../../../src/contract/instant.ts';
import { timeInPath } from '../../../src/sources/snapshots/path-time.ts';
import { input, observationsIn, readInputs } from '../formats/reading.ts';

const account = (more: object = {}) => JSON.stringify({ acct: 'mira@social.example', id: '1', note: '', ...more });

describe('timeInPath', () => {
  it.each([
    ['nights/2026-11-24/mira.json', '2026-11-24T00:00:00.000000Z'],
    ['nights/2026-11-24T03:17:05Z/mira.json', '2026-11-24T03:17:05.000000Z'],
    ['nights/2026-11-24T03-17-05Z.json', '2026-11-24T03:17:05.000000Z'],
    ['nights/2026-11-24T03-17.json', '2026-11-24T03:17:00.000000Z'],
    ['nights/20261124T031705Z/mira.json', '2026-11-24T03:17:05.000000Z'],
    ['nights/2026-11-24T03:17:05+02:00/mira.json', '2026-11-24T01:17:05.000000Z'],
    ['twitter-2022-11-18-f00.zip: data/account.js', '2022-11-18T00:00:00.000000Z'],
    ['s3://bucket/2026-11-24/mira.json', '2026-11-24T00:00:00.000000Z'],
    ['2020-01-01/2026-11-24/2026-11-24.json', '2026-11-24T00:00:00.000000Z'],
  ])('returns the time in %s', (path, expected) => {
    expect(timestampOf(timeInPath(path) ?? 0)).toBe(expected);
  });

  it.each(['mira.json', '20261124.json', '2026-13-24.json', '2026-11.json', '12026-11-24.json', '2026-11-24/2020-01-01_2020-12-31.json'])(
    'returns no time for %s',
    (path) => {
      expect(timeInPath(path)).toBeUndefined();
    },
  );
});

describe('the time in a path', () => {
  const night = input('nights/2024-04-30/mira.json', account());

  it('is the time of snapshots that contain none', async () => {
    const other = input('nights/2024-05-02.json', `[${account()},${account({ observed_at: '2024-05-02T09:00:00Z' })}]`);
    const found = observationsIn(await readInputs([night, other], { observedAt: undefined }));
    expect(found.map(({ observed_at }) => timestampOf(observed_at).slice(0, 13))).toEqual([
      '2024-04-30T00',
      '2024-05-02T00',
      '2024-05-02T09',
    ]);
  });

  it.each(['1969-10-28T19-17-00Z', 'undated'])(
    'is refused before 1970 like a missing one, with the years that a time can have: %s',
    async (folder) => {
      const early = input(`${folder}/mira.json`, account());
      expect(await readInputs([early], { observedAt: undefined })).toMatchObject([
        { found: 'a snapshot without a time from 1970 to 2255' },
      ]);
    },
  );

  it('gives way to --observed-at', async () => {
    const [found] = observationsIn(await readInputs([night]));
    expect(timestampOf(found?.observed_at ?? 0)).toBe('2024-05-01T12:00:00.000000Z');
  });

  it('is kept in the rejects file with an item of that path, and not taken from the path of the rejects file', async () => {
    const invalid = input('nights/2024-04-30/mira.json', account({ note: 7 }));
    expect(await readInputs([invalid], { observedAt: undefined })).toMatchObject([
      { kind: 'error', options: { observed_at: '2024-04-30T00:00:00.000000Z' } },
    ]);
    const line = { code: 'bad-field', expected: 'a', found: 'b', item: JSON.parse(account()) };
    const rejects = input('rejects-2024-05-01.json', JSON.stringify(line));
    expect(await readInputs([rejects], { observedAt: undefined, openAgain: () => night })).toMatchObject([{ kind: 'error' }]);
  });
});
