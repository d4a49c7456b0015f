import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/sources/formats/formats.ts';
import { observationsIn, readText } from '../sources/formats/reading.ts';

describe('docs/snapshots.md', () => {
  const document = readFileSync(new URL('../../docs/snapshots.md', import.meta.url), 'utf8');

  it('has every format, in order, and no other', () => {
    expect([...document.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual(FORMAT_NAMES);
  });

  it('has an example that is an observation', async () => {
    const example = /```json\n(.*)\n```/.exec(document)?.[1] ?? '';
    expect(observationsIn(await readText(example))).toMatchObject([{ profile: { screen_name: 'nina_k', website: null } }]);
  });
});
