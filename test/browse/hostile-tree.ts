import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { historyOf } from './small-site.ts';

/** The text of changes that stand between hostile ones. */
const HARMLESS = 'Bread at six, news at seven.';

const GREEN = 'style="background:#e6ffe6;"';
/**
 * Builds a tree of imported and observed records with hostile values in every field.
 * @returns the folder of the tree, and the fields of the items that were rejected, each once
 */
export async function hostileTree(
  folder: string,
  values: readonly string[],
): Promise<{ readonly out: string; readonly rejected: string[] }> {
  const [store, out, rejects, left] = [join(folder, 'store.db'), join(folder, 'out'), join(folder, 'imported'), join(folder, 'observed')];
  const all = ['--max-rejected', '100%'];
  await palimpsestJson(['import', '-', '--store', store, '--rejects', rejects, ...all], { input: importedLines(values).join('\n') });
  await palimpsestJson(['observe', '-', '--store', store, '--rejects', left, '--allow-future', ...all], {
    input: observedLines(values).join('\n'),
  });
  await palimpsestJson(['build', '--html', '--store', store, '--out', out]);
  return { out, rejected: [...rejectedFields(rejects), ...rejectedFields(left)] };
}

function rejectedFields(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String(JSON.parse(line).field ?? line.slice(0, 200)));
}

/** Imported records: for each value an account with the value in each field, and one account with all values as bios. */
function importedLines(values: readonly string[]): string[] {
  const records: Partial<ChangeRecord>[] = [];
  for (const [index, value] of values.entries()) {
    const first = { account: handleOf(index, value), previous: null, text: value };
    records.push(
      { ...first, data_type: 'Name', diff_html: value },
      { ...first, diff_html: `<ins ${GREEN}>${value}</ins>`, web_archive_url: urlWith(value) },
      { ...first, data_type: 'Location', text: HARMLESS, diff_html: `<ins ${GREEN}>${HARMLESS}</ins>` },
      { ...first, data_type: 'Website', diff_html: `<span>x</span><ins ${GREEN}><a href="${value}">${value}</a></ins>` },
    );
  }
  let previous: number | null = null;
  for (const value of values) {
    for (const text of [value, HARMLESS]) {
      const diff_html = `<del style="background:#ffe6e6;">${value}</del><ins ${GREEN}>${text}</ins>`;
      previous = records.push({ account: 'all_values', text, diff_html, previous });
    }
  }
  const { records: all, accounts } = historyOf(records);
  const at = (index: number) => values[index % values.length] ?? '';
  const withProfiles = accounts.map((account, index) => ({
    ...{ ...account, profile_image_url: urlWith(at(index + 4)), display_name: at(index) },
    ...{ website: at(index + 1), location: at(index + 2), bio: at(index + 3) },
  }));
  return toNdjson({ records: all, accounts: withProfiles });
}

/** Returns a URL that is the value or contains it, with any scheme. */
function urlWith(value: string): string {
  return [value, `https://archive.example/${value}`].find((url) => URL.canParse(url)) ?? '';
}

/** A handle with the value, if a handle can have its characters. */
function handleOf(index: number, value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: handles have no control characters
  return `h${index}_${value.isWellFormed() ? value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/g, '').slice(0, 200) : ''}`;
}

/** Snapshots of accounts whose profiles change from one hostile value to the next. */
function observedLines(values: readonly string[]): string[] {
  const at = (index: number) => values[index % values.length] ?? '';
  const snapshot = (index: number, time: number) => ({
    observed_at: `204${time}-01-01T00:00:00Z`,
    id: `o${index}`,
    screen_name: `observed_${index}`,
    display_name: at(index + time),
    bio: at(index + time + 1),
    location: at(index + time + 2),
    website: at(index + time + 3),
  });
  return [0, 1].flatMap((time) => values.map((_, index) => JSON.stringify(snapshot(index, time))));
}
