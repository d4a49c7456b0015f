import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { number, size } from '../../src/terminal/amounts.ts';
import { type OutputMode, Terminal } from '../../src/terminal/terminal.ts';

function terminal(
  isTTY: boolean,
  env: Record<string, string> = {},
  voice: OutputMode = {},
): { terminal: Terminal; out: string[]; err: string[] } {
  const [out, err]: [string[], string[]] = [[], []];
  const made = new Terminal({
    stdin: (async function* () {})(),
    stdout: { write: (text) => out.push(text) },
    stderr: { isTTY, columns: 40, write: (text) => err.push(text) },
    env,
    once: () => {},
  });
  made.setOutput(voice);
  return { terminal: made, out, err };
}

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is shown on a terminal after one second, and erased at the end', () => {
    const { terminal: made, err } = terminal(true);
    const progress = made.progress('building');
    progress.show(10, 100);
    expect(err).toEqual([]);
    vi.advanceTimersByTime(2000);
    progress.show(50, 100);
    progress.show(51, 100);
    progress.end();
    expect(err).toEqual(['\r\u001b[Kbuilding 50 % of 100, 2.0 s left', '\r\u001b[K']);
  });

  it.each<[string, boolean, OutputMode]>([
    ['into a pipe', false, {}],
    ['when quiet', true, { quiet: true }],
  ])('is not shown %s', (_, isTTY, voice) => {
    const { terminal: made, err } = terminal(isTTY, {}, voice);
    const progress = made.progress('building');
    progress.show(0, 100);
    vi.advanceTimersByTime(2000);
    progress.show(50, 100);
    progress.end();
    expect(err).toEqual([]);
  });
});

describe('a summary', () => {
  const ids = Array.from({ length: 10_000 }, (_, id) => id);
  function* steps() {
    for (const id of ids) yield { id, path: `rest/data/page/${id}/\u2028` };
  }

  it('is streamed as one JSON object, of any length', () => {
    const { terminal: made, out } = terminal(false, {}, { json: true });
    made.summary({ out: 'a "folder"', none: undefined, empty: [].values(), steps: steps(), list: [1] }, []);
    expect(JSON.parse(out.join(''))).toEqual({ out: 'a "folder"', empty: [], steps: [...steps()], list: [1] });
    expect(out.join('').endsWith('}\n')).toBe(true);
    expect(out.join('')).not.toContain('\u2028');
    expect(Math.max(...out.map((piece) => piece.length))).toBeLessThan(5_000);
    const { terminal: other, out: none } = terminal(false, {}, { json: true });
    other.summary({}, []);
    expect(none.join('')).toBe('{}\n');
  });

  it('is lines of text, and is not generated with --quiet', () => {
    const lines = ids.map((id) => `line ${id}`);
    const { terminal: made, out } = terminal(false);
    made.summary({}, lines.values());
    expect(out.join('')).toBe(`${lines.join('\n')}\n`);
    expect(out.length).toBeGreaterThan(5);
    const unread = lines.values();
    terminal(false, {}, { quiet: true }).terminal.summary({}, unread);
    expect(unread.next().value).toBe('line 0');
  });
});

describe('a failure', () => {
  const failure = new Failure('bad-field', 'a.json holds something that cannot be imported', {
    place: { file: 'a.json', line: 3, field: 'results[1].text' },
    expected: 'a string or null',
    found: '5 \u001b[31m',
    hint: 'fix it',
  });

  it('is printed in full, without control characters', () => {
    const { terminal: made, err } = terminal(false);
    made.failure(failure);
    expect(err.join('')).toBe(
      'error: a.json holds something that cannot be imported (bad-field)\n' +
        '  where     a.json, line 3, results[1].text\n' +
        '  expected  a string or null\n' +
        '  found     5 \\u001b[31m\n' +
        '  try       fix it\n',
    );
    expect(made.exitCode).toBe(1);
  });

  it('is also written as JSON with --json', () => {
    const { terminal: made, out } = terminal(false, {}, { json: true });
    made.failure(failure);
    expect(JSON.parse(out.join('')).error).toMatchObject({ code: 'bad-field', file: 'a.json', line: 3, field: 'results[1].text' });
  });

  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['colored on a terminal', true, {}, true],
    ['plain if NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['plain in a pipe', false, {}, false],
  ])('is %s', (_, isTTY, env, isColored) => {
    const { terminal: made, err } = terminal(isTTY, env);
    made.failure(failure);
    expect(err.join('').includes('\u001b[')).toBe(isColored);
  });

  it('that is not a Failure is reported as a bug', () => {
    const { terminal: made, err } = terminal(false);
    made.failure(new TypeError('oh'));
    expect(made.exitCode).toBe(1);
    expect(err.join('')).toContain('TypeError: oh');
    expect(err.join('')).toContain('please report it');
  });
});

describe('numbers', () => {
  it('are grouped by thousands', () => {
    expect([0, 7, 999, 1000, 12_345, 123_456, 1_234_567, 9_007_199_254_740_991].map(number)).toEqual([
      '0',
      '7',
      '999',
      '1,000',
      '12,345',
      '123,456',
      '1,234,567',
      '9,007,199,254,740,991',
    ]);
  });

  it('of bytes have the unit that fits', () => {
    expect([0, 1, 999, 1000, 9_940, 97_130, 999_499, 1e6, 806_700_000, 3.4e9].map(size)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 kB',
      '9.9 kB',
      '97 kB',
      '999 kB',
      '1.0 MB',
      '807 MB',
      '3.4 GB',
    ]);
  });
});
