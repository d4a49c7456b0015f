import fc from 'fast-check';
import type { Snapshot } from './snapshots.ts';

const text = fc.constantFrom(undefined, '', 'one', 'one two #three', 'zwei 🌹', 'one two @four');
const who = fc.constantFrom(
  { id: '1', screen_name: 'ann' },
  { id: '1', screen_name: 'Ann' },
  { id: '1', screen_name: 'bob' },
  { id: '2', screen_name: 'bob' },
  { id: '2', screen_name: 'cyd' },
  { id: '3', screen_name: undefined },
  { id: undefined, screen_name: 'ann' },
  { id: undefined, screen_name: 'dee' },
);
/** Snapshots of a few accounts that rename and take over handles, at a few times. */
export const generatedSnapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    who,
    second: fc.integer({ min: 0, max: 12 }),
    display_name: text,
    bio: text,
    location: text,
    website: fc.constantFrom(undefined, null, 'https://a.example', 'https://b.example'),
    verified: fc.constantFrom(undefined, true, false),
    web_archive_url: fc.constantFrom(undefined, 'https://archive.example/1'),
  })
  .map(({ who: names, second, ...fields }): Snapshot => {
    return { observed_at: new Date(Date.UTC(2020, 0, 1, 0, 0, second)).toISOString(), ...names, ...fields };
  });
const value = fc.oneof(
  { weight: 12, arbitrary: generatedSnapshot },
  { weight: 1, arbitrary: fc.constantFrom<Snapshot | string>('{"broken', '{"observed_at":"never","screen_name":"ann"}', '[1]') },
);
/** The inputs of a run: a list of values each, most of them snapshots, some with errors. */
export const generatedRun: fc.Arbitrary<(Snapshot | string)[][]> = fc.array(fc.array(value, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});
