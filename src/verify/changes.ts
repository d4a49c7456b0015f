import { isGenerated } from '../contract/generated-id.ts';
import { show } from '../contract/json.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { type Before, formError } from './diff-form.ts';
import { type Part, partsOf } from './diff-parts.ts';
import { markupError } from './markup.ts';
import type { Report, Rule } from './violation.ts';

type Kind = 'form' | 'text' | 'previous';

/**
 * A difference that palimpsest rendered must keep every rule. A difference that others rendered was imported, and is only noted.
 * So is one to a predecessor that was imported, because a later import can replace the text of that predecessor.
 */
const GENERATED_RULES: { readonly [K in Kind]: Rule } = { form: 'diff-form', text: 'diff-text', previous: 'diff-previous' };
const IMPORTED_RULES: { readonly [K in Kind]: Rule } = {
  form: 'imported-diff-form',
  text: 'imported-diff-text',
  previous: 'imported-diff-previous',
};

/**
 * Checks a record's diff_html against the two texts that it compares. It parses the diff_html and never renders it
 * again: with the next version of Unicode, the same texts may be split at other places.
 */
export function checkChange(record: ChangeRecord, before: Before, path: string, report: Report): void {
  const isBeforeFixed = typeof before !== 'object' || isGenerated(before);
  const add = (kind: Kind, expected: string, found: string, isFixed = isBeforeFixed) => {
    const rule = (isFixed && isGenerated(record) ? GENERATED_RULES : IMPORTED_RULES)[kind];
    report.add({ rule, path, subject: `record ${record.id}`, expected, found });
  };
  const parts = partsOf(record.diff_html);
  const problem = parts === undefined ? 'other elements, entities or brackets' : formError(record, before, parts);
  if (problem !== undefined) {
    // invalid markup is already reported by the walk of the feed
    if (parts === undefined && markupError(record.diff_html) !== undefined) return;
    const isOwn = parts === undefined || formError(record, 'unknown', parts) !== undefined;
    add('form', `the form of ${record.data_type}`, problem, isOwn || isBeforeFixed);
  }
  if (parts === undefined) return;
  const [after, old] = [plain(textOf(parts, '<del')), plain(textOf(parts, '<ins'))];
  if (after !== plain(record.text)) add('text', show(plain(record.text)), show(after), true);
  if (before !== 'unknown' && old !== plain(before?.text ?? null)) add('previous', show(plain(before?.text ?? null)), show(old));
}

/** Returns the text of all elements, except those whose opening tag starts with `without`. */
function textOf(parts: readonly Part[], without: string): string {
  let text = '';
  for (const part of parts) if (part.open !== '' && !part.open.startsWith(without)) text += part.text;
  return text;
}

/** Normalizes a text to what markup can show: one kind of line break, and no lone surrogates. */
function plain(text: string | null): string {
  if (text === null) return '';
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).toWellFormed();
}
