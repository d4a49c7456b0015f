import { expect, test } from 'vitest';
import { Report } from '../../src/verify/violation.ts';

test('a report keeps the first 10,000 violations and notes, and counts them all', () => {
  const report = new Report();
  for (let n = 0; n < 10_003; n += 1) {
    report.add({ rule: 'page-json', path: `violation ${n}`, expected: '', found: '' });
    if (n < 10_002) report.add({ rule: 'record-predecessor', path: `note ${n}`, expected: '', found: '' });
  }
  expect([report.violationCount, report.noteCount]).toEqual([10_003, 10_002]);
  expect([report.violations.length, report.notes.length]).toEqual([10_000, 10_000]);
  expect([report.violations.at(-1)?.path, report.notes.at(-1)?.path]).toEqual(['violation 9999', 'note 9999']);
});
