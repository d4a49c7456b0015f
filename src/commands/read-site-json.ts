import { readFileSync } from 'node:fs';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/json-shape.ts';
import { ABOUT_FIELDS, type About, parseAbout } from '../contract/site-json.ts';
import { closestNames } from '../history/closest-names.ts';

/**
 * Reads a `site.json`.
 * @returns null for `none` instead of a file
 * @throws Failure no-source, bad-json, bad-field
 */
export function readSiteFile(file: string): About | null {
  if (file === 'none') return null;
  try {
    return parseAbout(JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')));
  } catch (error) {
    throw error instanceof Violation ? badField(file, error) : unreadable(file, error);
  }
}

function badField(file: string, { field, expected, found }: Violation): Failure {
  const [similar] = ABOUT_FIELDS.includes(field) ? [] : closestNames(field, ABOUT_FIELDS, 1);
  const hint = similar === undefined ? 'docs/browse.md in the package describes the fields' : `did you mean ${similar}?`;
  return new Failure('bad-field', `${file} breaks a rule`, { place: { file, field }, expected, found, hint });
}

function unreadable(file: string, error: unknown): Failure {
  const found = error instanceof Error ? error.message : String(error);
  return new Failure(error instanceof SyntaxError ? 'bad-json' : 'no-source', `cannot read ${file}`, {
    place: { file },
    expected: 'a JSON object, or --site none',
    found,
  });
}
