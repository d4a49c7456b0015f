import type { Connection } from '../database/connection.ts';

/** Returns the present screen name of the account that has a record, if `handle` is a former handle of that account. */
export type FormerOwner = (record: number, handle: string) => string | undefined;

export function formerOwner(database: Connection): FormerOwner {
  const owner = database.prepareValue<[number, string], string>(
    `SELECT screen_name FROM account WHERE id = (SELECT account FROM record WHERE id = ?)
      AND EXISTS (SELECT 1 FROM former_handle WHERE former_handle.account = account.id AND handle = ?)`,
  );
  return (record, handle) => {
    const name = owner.get(record, handle);
    return name === handle ? undefined : name;
  };
}
