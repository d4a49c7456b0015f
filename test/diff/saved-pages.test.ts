import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { shown } from './browser.ts';

const SAVED = fileURLToPath(new URL('../../../shared/data/saved-pages/data', import.meta.url));

describe('changes served by a live service', () => {
  it.skipIf(!existsSync(SAVED))('are rendered byte for byte if they are first records (skipped if the saved pages are missing)', () => {
    const pages = readdirSync(SAVED).map((name): { results: unknown[] } => JSON.parse(readFileSync(join(SAVED, name), 'utf8')));
    const records = pages.flatMap((page) => page.results).map((record) => parseRecord(record));
    const byId = new Map(records.map((record) => [record.id, record]));
    let [first, later] = [0, 0];
    for (const { id, data_type, previous, text, diff_html } of records) {
      const before = previous === null ? undefined : byId.get(previous);
      if (previous === null) {
        expect(diffHtml(data_type, undefined, text), `record ${id}`).toBe(diff_html);
        first += 1;
      } else if (before !== undefined) {
        // which words are kept is a matter of taste, but the texts shown are not
        expect(shown(diffHtml(data_type, before.text, text)), `record ${id}`).toEqual(shown(diff_html));
        later += 1;
      }
    }
    expect([first, later]).toEqual([6507, 414]);
  });
});
