import { expect, it } from 'vitest';
import { FORMAT_NAMES, FORMATS } from '../../../src/sources/formats/formats.ts';

it('the formats are tried in the order of their names', () => {
  expect(FORMATS.map((format) => format.name)).toEqual(FORMAT_NAMES);
});
