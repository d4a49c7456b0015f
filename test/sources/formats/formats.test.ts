import { expect, it } from 'vitest';
import { FORMAT_NAMES, FORMATS } from '../../../src/sources/formats/formats.ts';

it('FORMATS has the order of FORMAT_NAMES', () => {
  expect(FORMATS.map((format) => format.name)).toEqual(FORMAT_NAMES);
});
