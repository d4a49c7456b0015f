import type { Connection } from '../database/connection.ts';

/** Finds an account by a value; null finds none. */
const BY = {
  record: 'id = (SELECT account FROM record WHERE id = ?)',
  'stable id': 'stable_id = ?',
};

/** Returns the present screen name of the account that has a record or a stable id, if `handle` is a former handle of that account. */
export type FormerOwner = (value: number | string | null, handle: string) => string | undefined;

export function formerOwner(database: Connection, by: keyof typeof BY): FormerOwner {
  const owner = database.prepareValue<[number | string | null, string], string>(
    `SELECT screen_name FROM account WHERE ${BY[by]}
      AND EXISTS (SELECT 1 FROM former_handle WHERE former_handle.account = account.id AND handle = ?)`,
  );
  return (value, handle) => {
    const name = owner.get(value, handle);
    return name === handle ? undefined : name;
  };
}
