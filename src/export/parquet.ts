import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, Value } from './tables.ts';

/** The limits of one row group. Memory holds one row group at a time. */
const GROUP_ROWS = 10_000;
const GROUP_CHARACTERS = 1 << 23;

/**
 * Yields a table as a Parquet file, one row group after another. Times are timestamps in microseconds in UTC, integers
 * have 64 bits. The same rows give the same bytes.
 */
export function* parquet(columns: readonly Column[], rows: Iterable<readonly Value[]>): Generator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), createdBy: 'palimpsest' });
  for (const group of groups(rows)) {
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: group.map((row) => physical(column, row[index] ?? null)),
    }));
    // without a flush function, the writer works synchronously
    void writer.write({ columnData, rowGroupSize: group.length });
    yield drained(bytes);
  }
  void writer.finish();
  yield drained(bytes);
}

/** Takes the bytes out of a writer, which still counts them. */
function drained(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}

function* groups(rows: Iterable<readonly Value[]>): Generator<(readonly Value[])[]> {
  let group: (readonly Value[])[] = [];
  let characters = 0;
  for (const row of rows) {
    group.push(row);
    for (const value of row) if (typeof value === 'string') characters += value.length;
    if (group.length < GROUP_ROWS && characters < GROUP_CHARACTERS) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)];
}

function elementOf({ name, type, isNullable }: Column): SchemaElement {
  const repetition_type = isNullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'integer':
      return { name, repetition_type, type: 'INT64' };
    case 'boolean':
      return { name, repetition_type, type: 'BOOLEAN' };
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'time': {
      const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } as const;
      return { name, repetition_type, type: 'INT64', converted_type: 'TIMESTAMP_MICROS', logical_type };
    }
  }
}

function physical({ type }: Column, value: Value): bigint | string | boolean | null {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'string') return value;
  return type === 'time' ? microsecondsOf(value) : value.toWellFormed();
}

/** Returns the microseconds from 1970 to a time of a record, exactly: a number has too few bits for the years before 1684 and after 2255. */
function microsecondsOf(time: string): bigint {
  const fraction = time.length > 20 ? time.slice(20, 26) : '0';
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1000n + BigInt(fraction);
}
