import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/contract/failure.ts';
import { RejectsFile } from '../../../src/sources/rejects/rejects-file.ts';
import type { InputError } from '../../../src/sources/source.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { times } from '../../support/proof.ts';

const inputError = (number: number, item: unknown = `item ${number}`): InputError => ({
  kind: 'error',
  code: 'bad-field',
  place: { file: 'lines', line: number },
  expected: 'a',
  found: 'b',
  item,
});

/** One run that rejects items: it succeeded, failed, or was killed between the rejects file and the store. */
async function run(path: string, inputErrors: readonly InputError[], end: 'done' | 'failed' | 'killed'): Promise<void> {
  const rejects = new RejectsFile(path, []);
  for (const one of inputErrors) rejects.add(one);
  await rejects.append();
  if (end === 'done') rejects.keep();
  if (end === 'failed') rejects.discard();
}

const linesIn = (path: string): number[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).line);

describe('RejectsFile', () => {
  it('contains every line once after repeated, failed and killed runs', async () => {
    const runs = fc.array(
      fc.record({
        numbers: fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
        end: fc.constantFrom('done', 'failed', 'killed'),
        /** How many bytes of the last line are missing after a kill. */
        cut: fc.nat({ max: 90 }),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(runs, async (all) => {
        const path = join(temporaryFolder(), 'rejects');
        const expected: number[] = [];
        for (const { numbers, end, cut } of all) {
          const inputErrors = numbers.map((number) => inputError(number, '\u2028\r\u0085 ä \\ud800'));
          await run(path, inputErrors, end);
          const added = [...new Set(numbers)].filter((number) => !expected.includes(number));
          if (end === 'killed' && added.length > 0) {
            const bytes = readFileSync(path);
            writeFileSync(path, bytes.subarray(0, bytes.length - cut));
            await run(path, inputErrors, 'done');
          }
          if (end !== 'failed') expected.push(...added);
          expect(existsSync(path) ? linesIn(path) : []).toEqual(expected);
          expect(readdirSync(join(path, '..'))).toEqual(expected.length > 0 ? ['rejects'] : []);
        }
      }),
      { numRuns: times('runs with rejects', 20, 200) },
    );
  });

  it('keeps lines of other programs, even without a line break at the end', async () => {
    const path = join(temporaryFolder(), 'rejects');
    writeFileSync(path, 'a note\n{"code":"mine"}');
    await run(path, [inputError(1)], 'failed');
    expect(readFileSync(path, 'utf8')).toBe('a note\n{"code":"mine"}');
    await run(path, [inputError(1)], 'done');
    expect(readFileSync(path, 'utf8')).toMatch(/^a note\n\{"code":"mine"\}\n\{"code":"bad-field".*\}\n$/);
    appendFileSync(path, 'another');
    await run(path, [inputError(2)], 'done');
    expect(readFileSync(path, 'utf8').split('\n')).toMatchObject(
      ['a note', '{"code":"mine"}', /1/, 'another', /2/, ''].map(() => expect.any(String)),
    );
    expect(readFileSync(path, 'utf8')).toContain('\nanother\n{"code"');
  });

  it('fails with one error if the file cannot be read or written', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    for (const path of ['x'.repeat(300), join('file', 'x'), join('missing', 'x'), 'folder']) {
      expect(() => new RejectsFile(join(folder, path), []), path).toThrow(Failure);
    }
  });
});
