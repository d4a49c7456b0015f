// npm run diff:page [-- --accept] writes the edits of golden.json as rendered HTML to coverage/diff.html, for a review
// in a browser. It marks edits that differ from the recorded markup. --accept writes the new markup to golden.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { diffHtml } from '../dist/diff/diff-html.js';

const GOLDEN = new URL('../test/diff/golden.json', import.meta.url);
const PAGE = new URL('../coverage/diff.html', import.meta.url);

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const edits = JSON.parse(readFileSync(GOLDEN, 'utf8'));
const rendered = edits.map((edit) => ({ ...edit, html: diffHtml(edit.type, edit.before, edit.after) }));

const rows = rendered.map(
  ({ says, type, before, after, html }, index) =>
    `<tr${html === edits[index].html ? '' : ' class="other"'}><th>${index + 1}<th>${escapeText(says)}<br><small>${type}</small>` +
    `<td class="value">${escapeText(before ?? '')}<td class="value">${escapeText(after ?? '')}<td>${html}`,
);
const style =
  'body{font:15px sans-serif}table{border-collapse:collapse}th,td{border:1px solid #ccc;padding:4px 8px;text-align:left;vertical-align:top}' +
  'td{width:30%}.value{white-space:pre-wrap;color:#555}.other th{background:#fd8}';

mkdirSync(new URL('./', PAGE), { recursive: true });
writeFileSync(
  PAGE,
  `<!doctype html><meta charset="utf-8"><title>Edits</title><style>${style}</style><table><tr><th><th><th>before<th>after<th>diff_html${rows.join('')}</table>\n`,
);
if (process.argv.includes('--accept')) writeFileSync(GOLDEN, `${JSON.stringify(rendered, null, 2)}\n`);
const others = rendered.filter((edit, index) => edit.html !== edits[index].html).length;
console.log(`wrote coverage/diff.html: ${rendered.length} edits, ${others} other than in golden.json`);
