import { expect, it } from 'vitest';
import { ENVELOPE_TAIL, encodeEnvelopeHead, parseEnvelope } from '../../../src/contract/pages/envelope.ts';

it('a page is read as it was written', () => {
  const page = { count: 2, next: null, previous: 'https://x.example/rest/data/', results: [{ id: 1 }] };
  expect(encodeEnvelopeHead(page) + JSON.stringify(page.results[0]) + ENVELOPE_TAIL).toBe(JSON.stringify(page));
  expect(parseEnvelope(page)).toEqual(page);
});

it.each(['count', 'next', 'previous', 'results'])('a page without a valid %s is refused', (field) => {
  const page = { count: 2, next: null, previous: null, results: [], [field]: -1 };
  expect(() => parseEnvelope(page)).toThrow(expect.objectContaining({ field }));
});
