import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';

/** Realistic edits of profiles, with the markup that was judged readable in a browser. */
interface Golden {
  readonly says: string;
  readonly type: DataType;
  readonly before: string | null;
  readonly after: string | null;
  readonly html: string;
}

const GOLDEN: readonly Golden[] = JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8'));

describe('diffHtml keeps the markup of forty edits of profiles (npm run diff:page shows them)', () => {
  it.each(GOLDEN.map((edit) => [edit.says, edit] as const))('renders %s as recorded', (_, { type, before, after, html }) => {
    expect(diffHtml(type, before, after)).toBe(html);
  });

  it('has forty edits in golden.json', () => expect(GOLDEN).toHaveLength(40));
});
