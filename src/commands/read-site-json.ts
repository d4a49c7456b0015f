import { readFileSync } from 'node:fs';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/json-shape.ts';
import { ABOUT_FIELDS, type About, parseAbout } from '../contract/site-json.ts';
import { closestNames } from '../history/closest-names.ts';
import { parseJson } from '../sources/json/parse-json.ts';

/**
 * Reads a `site.json`.
 * @returns null for `none` instead of a file
 * @throws Failure no-source, bad-json, bad-field
 */
export function readSiteFile(file: string): About | null {
  if (file === 'none') return null;
  try {
    const parsed = parseJson({ text: readFileSync(file, 'utf8').replace(/^\ufeff/, ''), line: 1, path: '' }, file);
    if (!('kind' in parsed)) return parseAbout(parsed.value);
    const { code, place, expected, found } = parsed;
    throw new Failure(code, `cannot read ${file}`, { place, expected: `${expected}, or --site none`, found });
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof Violation) throw badField(file, error);
    const found = error instanceof Error ? error.message : String(error);
    throw new Failure('no-source', `cannot read ${file}`, { place: { file }, expected: 'a JSON object, or --site none', found });
  }
}

function badField(file: string, { field, expected, found }: Violation): Failure {
  const [similar] = ABOUT_FIELDS.includes(field) ? [] : closestNames(field, ABOUT_FIELDS, 1);
  const hint = similar === undefined ? 'docs/browse.md in the package describes the fields' : `did you mean ${similar}?`;
  return new Failure('bad-field', `${file} breaks a rule`, { place: { file, field }, expected, found, hint });
}
