import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { type OutputMode, Terminal } from '../../src/terminal/terminal.ts';

function terminal(
  isTTY: boolean,
  env: Record<string, string> = {},
  voice: OutputMode = {},
): { terminal: Terminal; out: string[]; err: string[] } {
  const [out, err]: [string[], string[]] = [[], []];
  const made = new Terminal({
    stdin: (async function* () {})(),
    stdout: { write: (text) => out.push(String(text)) },
    stderr: { isTTY, columns: 40, write: (text) => err.push(String(text)) },
    env,
    once: () => {},
  });
  made.setOutput(voice);
  return { terminal: made, out, err };
}

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
    expect(Math.max(...out.map((piece) => piece.length))).toBeLessThan(70_000);
    const { terminal: other, out: none } = terminal(false, {}, { json: true });
    other.summary({}, []);
    expect(none.join('')).toBe('{}\n');
  });

  it('is lines of text, and is not generated with --quiet', () => {
    const lines = ids.map((id) => `line ${id} of many that are written in pieces`);
    const { terminal: made, out } = terminal(false);
    made.summary({}, lines.values());
    expect(out.join('')).toBe(`${lines.join('\n')}\n`);
    expect(out.length).toBeGreaterThan(1);
    const unread = lines.values();
    terminal(false, {}, { quiet: true }).terminal.summary({}, unread);
    expect(unread.next().value).toBe(lines[0]);
  });
});

describe('the width of a summary', () => {
  it.each([
    [undefined, 80],
    [0, 80],
    [1, 20],
    [132, 132],
  ])('of a terminal with %s columns is %i', (columns, expected) => {
    const stdout = { ...(columns === undefined ? {} : { columns }), write: () => true };
    const made = new Terminal({ stdin: (async function* () {})(), stdout, stderr: stdout, env: {}, once: () => {} });
    expect(made.columns).toBe(expected);
  });
});

describe('a failure', () => {
  const failure = new Failure('bad-field', 'a.json holds something that cannot be imported', {
    place: { file: 'a.json', line: 3, field: 'results[1].text' },
    expected: 'a string or null',
    found: '5 \u001b[31m',
    hint: 'fix it',
  });

  it('is printed in full, without control characters', async () => {
    const { terminal: made, err } = terminal(false);
    await made.failure(failure);
    expect(err.join('')).toBe(
      'error: a.json holds something that cannot be imported (bad-field)\n' +
        '  where     a.json, line 3, results[1].text\n' +
        '  expected  a string or null\n' +
        '  found     5 \\u001b[31m\n' +
        '  try       fix it\n',
    );
    expect(made.exitCode).toBe(1);
  });

  it('is also written as JSON with --json', async () => {
    const { terminal: made, out } = terminal(false, {}, { json: true });
    await made.failure(failure);
    expect(JSON.parse(out.join('')).error).toMatchObject({ code: 'bad-field', file: 'a.json', line: 3, field: 'results[1].text' });
  });

  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['colored on a terminal', true, {}, true],
    ['plain if NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['plain in a pipe', false, {}, false],
    ['plain on a terminal that is dumb', true, { TERM: 'dumb' }, false],
    ['colored in a pipe if FORCE_COLOR is set', false, { FORCE_COLOR: '1' }, true],
    ['colored if FORCE_COLOR and NO_COLOR are set', true, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['plain if FORCE_COLOR is 0', true, { FORCE_COLOR: '0' }, false],
  ])('is %s', async (_, isTTY, env, isColored) => {
    const { terminal: made, err } = terminal(isTTY, env);
    await made.failure(failure);
    expect(err.join('').includes('\u001b[')).toBe(isColored);
  });

  it('that is not a Failure is reported as a bug', async () => {
    const { terminal: made, err } = terminal(false);
    await made.failure(new TypeError('oh'));
    expect(made.exitCode).toBe(1);
    expect(err.join('')).toContain('TypeError: oh');
    expect(err.join('')).toContain('please report it');
  });
});
