import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bytes, items, Progress } from '../../src/terminal/progress.ts';

const ERASE = '\r\u001b[K';
const PHASES = {
  read: { label: 'reading', amount: bytes },
  write: { label: 'writing', amount: items('page') },
};

function progress(isTerminal: boolean, columns?: number) {
  const written: string[] = [];
  const stream = { ...(columns === undefined ? {} : { columns }), write: (text: string) => written.push(text) };
  const made = new Progress(stream, isTerminal, PHASES);
  return { made, written };
}

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is shown on a terminal after one second, with the amounts, and is erased at the end', () => {
    const { made, written } = progress(true);
    made.show('read', 0, 100e6);
    vi.advanceTimersByTime(900);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1600);
    made.show('read', 50e6, 100e6);
    expect(written.at(-1)).toBe(`${ERASE}1/2 reading: 50 MB of 100 MB`);
    const before = written.length;
    made.show('read', 51e6, 100e6);
    expect(written).toHaveLength(before);
    made.end();
    expect(written.at(-1)).toBe(ERASE);
  });

  it('shows a new phase at once, because it may block before its next report', () => {
    const { made, written } = progress(true);
    made.show('read', 1, 10);
    vi.advanceTimersByTime(1000);
    made.show('read', 10, 10);
    made.show('write', 0, 0);
    expect(written.at(-1)).toBe(`${ERASE}2/2 writing, 0.0 s so far`);
    vi.advanceTimersByTime(4000);
    expect(written.at(-1)).toBe(`${ERASE}2/2 writing, 4.0 s so far`);
    made.show('write', 1, 0);
    vi.advanceTimersByTime(1000);
    expect(written.at(-1)).toBe(`${ERASE}2/2 writing: 1 page so far`);
    made.end();
  });

  it.each<[string, (second: number) => number, string | undefined]>([
    ['steady, from the amount at which this run began', (second) => 900 + 5 * second, '12.0 s left'],
    ['steady for some seconds only', (second) => (second < 5 ? 900 : 900 + 10 * (second - 4)), undefined],
    ['slower and slower', (second) => 900 + 30 * Math.sqrt(second), undefined],
    ['at its end', (second) => 900 + 12.5 * second, undefined],
  ])('shows the time that is left only of progress that is %s', (_, doneAt, expected) => {
    const { made, written } = progress(true);
    made.show('write', 900, 1000);
    for (let second = 1; second <= 8; second += 1) {
      vi.advanceTimersByTime(999);
      made.show('write', doneAt(second), 1000);
      vi.advanceTimersByTime(1);
    }
    expect(/, (.*)$/.exec(written.at(-1) ?? '')?.[1]).toBe(expected);
    made.end();
  });

  it('writes one line every 30 seconds if there is no terminal, also while nothing is reported', () => {
    const { made, written } = progress(false);
    made.show('write', 0, 100);
    for (let second = 1; second <= 40; second += 1) {
      vi.advanceTimersByTime(1000);
      made.show('write', second, 100);
    }
    expect(written).toEqual(['2/2 writing: 29 of 100 pages, 1 min 13 s left\n']);
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(3);
    made.end();
    expect(written.join('')).not.toContain('\u001b');
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(3);
  });

  it.each([
    [0, 79],
    [undefined, 79],
    [10, 9],
    [1, 0],
  ])('on a terminal of %s columns has a line of at most %i', (columns, most) => {
    const { made, written } = progress(true, columns);
    made.show('write', 1, 1e15);
    vi.advanceTimersByTime(2000);
    made.show('write', 2, 1e15);
    const lengths = written.map((text) => text.replaceAll(ERASE, '').length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(most);
    made.end();
  });

  it('leaves out the time left on a narrow terminal, then cuts the label, and keeps the amounts whole', () => {
    const { made, written } = progress(true, 32);
    for (let second = 0; second <= 8; second += 1) {
      made.show('write', 900 + 5 * second, 1000);
      vi.advanceTimersByTime(1000);
    }
    expect(written.at(-1)).toBe(`${ERASE}2/2 writing: 940 of 1,000 pages`);
    made.show('write', 6369, 11_782);
    vi.advanceTimersByTime(1000);
    expect(written.at(-1)).toBe(`${ERASE}2/2 wri…: 6,369 of 11,782 pages`);
    made.end();
  });
});
