import { encodeJson } from '../contract/json.ts';
import { type DaySpan, mergeSpans, snapshotDays } from '../contract/snapshots/snapshot-days.ts';
import { checksumOf } from './check/checksum.ts';
import type { Connection } from './database/connection.ts';
import { damaged, storedJson } from './database/store-error.ts';

/** The row with the days on which snapshots were observed, as the JSON of spans. */
interface DaysRow {
  readonly spans: string;
  readonly checksum: number;
}

const SUBJECT = 'the list of days with snapshots';

/**
 * Returns the days on which snapshots were observed, as spans in order.
 * @throws Failure bad-store if the list does not match its checksum, or has no valid spans
 */
export function storedSnapshotDays(database: Connection): readonly DaySpan[] {
  const row = rowOf(database);
  if (row === undefined) return [];
  if (checksumOf(row.spans) !== row.checksum) throw damaged(database.path, `${SUBJECT} does not match its checksum`);
  const spans: unknown = storedJson(database.path, SUBJECT, row.spans);
  if (!snapshotDays.accepts(spans)) throw damaged(database.path, `${SUBJECT} is not ${snapshotDays.expected}`);
  return spans ?? [];
}

/** Adds days. Returns whether any of them is new. */
export function addSnapshotDays(database: Connection, spans: readonly DaySpan[]): boolean {
  const json = encodeJson(mergeSpans([...storedSnapshotDays(database), ...spans]));
  if (spans.length === 0 || json === rowOf(database)?.spans) return false;
  database.run('INSERT OR REPLACE INTO snapshot_days (id, spans, checksum) VALUES (1, ?, CAST(? AS INTEGER))', json, checksumOf(json));
  return true;
}

function rowOf(database: Connection): DaysRow | undefined {
  return database.get('SELECT spans, checksum FROM snapshot_days');
}
