import type { ChangeRecord } from '../contract/record.ts';
import { parseByteJson } from './byte-text.ts';

/** Parses the JSON of records that are separated by commas. Their texts become byte texts. */
export function parseRecords(json: Buffer): readonly ChangeRecord[] {
  return json.length === 0 ? [] : parseByteJson(`[${json.toString('latin1')}]`);
}
