import { cut } from '../../contract/json.ts';
import { Violation } from '../../contract/json-shape.ts';
import { type Envelope, parseEnvelope } from '../../contract/pages/envelope.ts';
import { hashFor, isClaimed } from '../../warc/digest.ts';
import { BadResponse, type HttpResponse, parseResponse } from '../../warc/http-response.ts';
import type { ReadRecord } from '../../warc/read-records.ts';
import { damaged } from '../../warc/warc-damage.ts';
import { parseWithNames } from '../json/parse-json.ts';

/** An answer that is not a page: an error, a redirect, HTML, or cut short. */
export class NoPage extends Error {}

/**
 * Returns the body of a response or resource record.
 * @throws NoPage with the reason, if it is not an answer with status 200; Failure bad-archive if its digest is wrong
 */
export function bodyOf(file: string, record: ReadRecord): Buffer {
  const block = record.block ?? Buffer.alloc(0);
  if (record.type === 'resource') {
    checkDigest(file, record, [block]);
    return block;
  }
  try {
    const response = parseResponse(block);
    checkDigest(file, record, bodies(response));
    if (response.status !== 200) throw new NoPage(`status ${response.status}`);
    return response.body();
  } catch (error) {
    throw error instanceof BadResponse ? new NoPage(error.message) : error;
  }
}

/** Tools differ in what they call the payload: with or without chunks, compressed or not. */
function* bodies(response: HttpResponse): Generator<Buffer> {
  yield response.sent;
  yield response.joined;
  try {
    yield response.body();
  } catch (error) {
    if (!(error instanceof BadResponse)) throw error;
  }
}

/** Compares a body with the digest of the payload, if the block has no digest that was compared before. */
function checkDigest(file: string, { url, blockDigest, payloadDigest }: ReadRecord, candidates: Iterable<Buffer>): void {
  if (blockDigest !== undefined || payloadDigest === undefined) return;
  for (const body of candidates) if (isClaimed(payloadDigest, hashFor(payloadDigest).update(body).digest())) return;
  throw damaged(file, `a body with the digest ${payloadDigest.text} at ${url}`, 'another digest');
}

/**
 * Parses the text of a page, without its items.
 * @throws NoPage if it is not a page
 */
export function envelopeIn(text: string): Envelope {
  let value: unknown;
  try {
    value = parseWithNames(text);
  } catch {
    const start = text.trim();
    throw new NoPage(
      start === '' ? 'an empty answer' : `${start.startsWith('<') ? 'HTML or XML' : 'not JSON, or truncated'}: ${cut(start)}`,
    );
  }
  try {
    return parseEnvelope(value);
  } catch (error) {
    if (error instanceof Violation)
      throw new NoPage(`not a page of the API: ${error.field || 'the answer'}: ${error.found}, expected ${error.expected}`);
    throw error;
  }
}
