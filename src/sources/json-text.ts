import type { Place } from '../contract/failure.ts';
import { cut } from '../contract/json.ts';
import type { Flaw } from './source.ts';

/** The value of a JSON text; an Error, which no JSON text gives, where it is none or nested too deeply to be read. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function brokenJson(text: string, error: Error, place: Place): Flaw {
  const reason = error.message.replace(/\s*\(line \d+ column \d+\)$/, '');
  return { kind: 'flaw', code: 'bad-json', place, expected: 'JSON', found: `${cut(text.trim())} (${reason})`, item: text };
}
