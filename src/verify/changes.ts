import { show } from '../contract/json.ts';
import { isOwn } from '../contract/own-id.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { type Before, flawInForm } from './diff-form.ts';
import { type Part, partsOf } from './diff-parts.ts';
import { flawInMarkup } from './markup.ts';
import type { Report, Rule } from './violation.ts';

type Kind = 'form' | 'text' | 'previous';

/** What palimpsest rendered is held to all that it promises; what others rendered came in so, and is worth a note. */
const OWN: { readonly [K in Kind]: Rule } = { form: 'diff-form', text: 'diff-text', previous: 'diff-previous' };
const IMPORTED: { readonly [K in Kind]: Rule } = {
  form: 'imported-diff-form',
  text: 'imported-diff-text',
  previous: 'imported-diff-previous',
};

/**
 * Holds a record's diff_html to the texts that it is the difference of. It is read, never rendered again:
 * with the next version of Unicode the same texts may be cut at other places.
 */
export function checkChange(record: ChangeRecord, before: Before, path: string, report: Report): void {
  const add = (kind: Kind, expected: string, found: string) => {
    const rule = (isOwn(record) ? OWN : IMPORTED)[kind];
    report.add({ rule, path, subject: `record ${record.id}`, expected, found });
  };
  const parts = partsOf(record.diff_html);
  const flaw = parts === undefined ? 'other elements, entities or brackets' : flawInForm(record, before, parts);
  if (flaw !== undefined) {
    // what is no markup at all is reported where the feed is walked
    if (parts === undefined && flawInMarkup(record.diff_html) !== undefined) return;
    add('form', `the form of ${record.data_type}`, flaw);
  }
  if (parts === undefined) return;
  const [after, old] = [plain(textOf(parts, '<del')), plain(textOf(parts, '<ins'))];
  if (after !== plain(record.text)) add('text', show(plain(record.text)), show(after));
  if (before !== 'unknown' && old !== plain(before?.text ?? null)) add('previous', show(plain(before?.text ?? null)), show(old));
}

/** What the elements show, but for those that begin so. */
function textOf(parts: readonly Part[], without: string): string {
  let text = '';
  for (const part of parts) if (part.open !== '' && !part.open.startsWith(without)) text += part.text;
  return text;
}

/** A text as markup can show it: with line breaks of one kind, and without half a character. */
function plain(text: string | null): string {
  if (text === null) return '';
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).toWellFormed();
}
