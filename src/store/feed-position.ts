import type { Connection } from './connection.ts';

/** The number of blocks that one query reads. */
const BATCH_SIZE = 1000;
const BEYOND = Number.MAX_SAFE_INTEGER + 1;

/**
 * Returns an id such that exactly `skip` records of the feed have this id or a larger one. The counts of the feed blocks
 * make it unnecessary to count records.
 * @returns 0 if the feed has fewer records
 */
export function feedEdge(database: Connection, skip: number): number {
  if (skip === 0) return BEYOND;
  const next = database.prepare<[number, number], { readonly first_id: number; readonly records: number }>(
    'SELECT first_id, records FROM feed_block WHERE first_id < ? ORDER BY first_id DESC LIMIT +?',
  );
  const within = database
    .prepare<[number, number], number>('SELECT id FROM record WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET +?')
    .pluck();
  let [edge, left] = [BEYOND, skip];
  for (let blocks = next.all(edge, BATCH_SIZE); blocks.length > 0; blocks = next.all(edge, BATCH_SIZE)) {
    for (const { first_id, records } of blocks) {
      if (records >= left) return within.get(edge, left - 1) ?? 0;
      left -= records;
      edge = first_id;
    }
  }
  return 0;
}
