import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import { diffHtml, segmentsOf } from '../../src/diff/diff-html.ts';
import { entitiesIn } from '../../src/diff/entities.ts';
import { checkChange } from '../../src/verify/changes.ts';
import { markupError } from '../../src/verify/markup.ts';
import { Report } from '../../src/verify/violation.ts';
import { isFull, times } from '../support/proof.ts';
import { linksIn, shown, shownInBlock } from './browser.ts';
import { pair } from './pairs.ts';

const PAIRS = times('pairs of texts', 3000, 100_000);
const SETTINGS = { numRuns: PAIRS, endOnFailure: isFull };
const HOURS = 3_600_000;

const plain = (text: string) => text.replace(/\r\n?/g, '\n');
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the rules that a generated record breaks. */
function broken(data_type: DataType, before: string | undefined, text: string, diff_html: string): string[] {
  const record: ChangeRecord = {
    id: 1_456_705_800_000_000,
    account: 'ada',
    data_type,
    previous: before === undefined ? null : 1,
    text,
    first_encountered_date: '2016-02-29T00:30:00.000000Z',
    diff_html,
    web_archive_url: null,
  };
  const report = new Report();
  checkChange(record, before === undefined ? undefined : { ...record, text: before }, 'page', report);
  const inputError = markupError(diff_html);
  return [...report.violations.map(({ rule, found }) => `${rule}: ${found}`), ...(inputError === undefined ? [] : [inputError])];
}

it(
  `diffHtml shows the old and the new text of ${PAIRS} pairs of bios`,
  () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const html = diffHtml('Bio', before, after);
        expect(shown(html)).toEqual({ before: plain(before), after: plain(after) });
        expect(broken('Bio', before, after, html)).toEqual([]);
        expect(diffHtml('Bio', before, after)).toBe(html);
        for (const link of linksIn(html)) expect(link).toMatch(/^https:\/\/twitter\.com\/(\w{1,20}|search\?q=%23[\w%!'()*.~-]+)$/);
        const first = diffHtml('Bio', undefined, after);
        expect(shown(first)).toEqual({ before: '', after: plain(after) });
        expect(broken('Bio', undefined, after, first)).toEqual([]);
      }),
      SETTINGS,
    );
  },
  HOURS,
);

it(
  'segmentsOf cuts no grapheme and repeats no text',
  () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const segments = segmentsOf(before, after);
        const of = (without: string) => segments.filter((segment) => segment.kind !== without).map((segment) => segment.text);
        for (const texts of [of('removed'), of('added')]) expectNoCut(texts);
        for (const [index, { kind, text }] of segments.entries()) {
          expect(text).not.toBe('');
          expect(kind).not.toBe(segments[index - 1]?.kind);
          if (kind === 'removed') expect(segments[index - 1]?.kind).not.toBe('added');
        }
      }),
      SETTINGS,
    );
  },
  HOURS,
);

/** Checks that the boundary between two texts is a grapheme boundary in their concatenation. */
function expectNoCut(texts: readonly string[]): void {
  const whole = texts.join('');
  const boundaries = new Set([...GRAPHEMES.segment(whole)].map((grapheme) => grapheme.index));
  // a mention or hashtag is one unit, even with combining marks after it
  for (const { start, end } of entitiesIn(whole)) boundaries.add(start).add(end);
  let at = 0;
  for (const text of texts) {
    expect(at === whole.length || boundaries.has(at), `${JSON.stringify(whole)} at ${at}`).toBe(true);
    at += text.length;
  }
}

it(
  'diffHtml shows locations and websites as a whole',
  () => {
    fc.assert(
      fc.property(pair, fc.constantFrom('', 'http://', 'https://', 'HTTPS://', 'javascript:'), ([before, after], scheme) => {
        const place = diffHtml('Location', before, after);
        expect(shownInBlock(place)).toEqual({ before: plain(before), after: plain(after) });
        expect(broken('Location', before, after, place)).toEqual([]);
        const [old, fresh] = [before, scheme + after];
        const website = diffHtml('Website', old, fresh);
        const seen = website.startsWith('\n') ? shownInBlock(website) : shown(website);
        expect(seen).toEqual({ before: plain(old), after: plain(fresh) });
        expect(broken('Website', old, fresh, website)).toEqual([]);
        for (const link of linksIn(website)) expect(['http:', 'https:']).toContain(new URL(link).protocol);
      }),
      SETTINGS,
    );
  },
  HOURS,
);
