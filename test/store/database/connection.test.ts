import { expect, it } from 'vitest';
import { Connection } from '../../../src/store/database/connection.ts';

it('a connection prepares a statement once, separately for its rows and for its first column', () => {
  const database = new Connection(':memory:');
  const sql = 'SELECT ? AS one, 2 AS two';
  expect(database.prepare(sql)).toBe(database.prepare(sql));
  expect([database.get(sql, 'a'), database.value(sql, 'b'), database.values(sql, null)]).toEqual([{ one: 'a', two: 2 }, 'b', [null]]);
  database.exec('CREATE TABLE t (a)');
  expect(database.run('INSERT INTO t VALUES (?), (?)', 1n, 'x').changes).toBe(2);
  database.close();
});
