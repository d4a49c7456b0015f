import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Returns the section of a document below a heading of the second level. */
export function section(document: string, heading: string): string {
  const start = document.indexOf(`\n## ${heading}\n`);
  if (start === -1) throw new Error(`there is no heading ${heading}`);
  const end = document.indexOf('\n## ', start + 4);
  return document.slice(start, end === -1 ? undefined : end);
}

/** Returns a function that finds the code blocks of one language below a heading of a page in docs/, in their order. */
export function blocksOf(page: string): (heading: string, language: string) => readonly string[] {
  const document = readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), 'utf8');
  return (heading, language) =>
    [...section(document, heading).matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, text = '']) =>
      found === language ? [text] : [],
    );
}
