const COLUMN = 8.41;
const LINE = 19;
const MARGIN = 16;

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Draws the output of `palimpsest history` as an SVG picture, with the colors of a terminal. */
export function historyPicture(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')];
  const columns = Math.max(...lines.map((line) => [...line].length));
  const [width, height] = [Math.ceil(columns * COLUMN) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  let color = '';
  const rows = lines.map((line, row) => {
    const spans = line.split(/(?=\[-|\{\+)|(?<=-\]|\+\})/).map((part) => {
      if (part.startsWith('[-')) color = ' class="removed"';
      if (part.startsWith('{+')) color = ' class="added"';
      const span = part === '' ? '' : `<tspan${color}>${escapeText(part)}</tspan>`;
      if (/(-\]|\+\})$/.test(part)) color = '';
      return span;
    });
    return `<text x="${MARGIN}" y="${MARGIN + row * LINE + 14}">${spans.join('')}</text>`;
  });
  const style =
    'text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}' +
    '.removed{fill:#ff8a80}.added{fill:#7ee787}';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="The output of ${escapeText(command)}"><style>${style}</style>` +
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n${rows.join('\n')}\n</svg>\n`
  );
}
