import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';

/** What somebody does to a profile, invented after what people do, and how it was seen to read well in a browser. */
interface Golden {
  readonly says: string;
  readonly type: DataType;
  readonly before: string | null;
  readonly after: string | null;
  readonly html: string;
}

const GOLDEN: readonly Golden[] = JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8'));

describe('forty edits of profiles read as before (npm run diff:page shows them)', () => {
  it.each(GOLDEN.map((edit) => [edit.says, edit] as const))('%s', (_, { type, before, after, html }) => {
    expect(diffHtml(type, before, after)).toBe(html);
  });

  it('are forty', () => expect(GOLDEN).toHaveLength(40));
});
