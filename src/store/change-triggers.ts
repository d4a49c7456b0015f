/** Changes of the content delete the revisions. */
const CHANGES: readonly string[] = [
  'INSERT ON record',
  'UPDATE ON record',
  'DELETE ON record',
  'INSERT ON account',
  'UPDATE OF screen_name, identity, summary ON account',
  'DELETE ON account',
];

export const CREATE_CONTENT_TRIGGERS: string = CHANGES.map(
  (change, index) => `CREATE TRIGGER forget_${index} AFTER ${change} BEGIN DELETE FROM revision; END;`,
).join('\n');
export const DROP_CONTENT_TRIGGERS: string = CHANGES.map((_, index) => `DROP TRIGGER IF EXISTS forget_${index};`).join('\n');

/** Changes of former handles make their accounts stale. */
const HANDLE_CHANGES: readonly (readonly [change: string, accounts: string])[] = [
  ['INSERT', 'NEW.account'],
  ['UPDATE', 'OLD.account, NEW.account'],
  ['DELETE', 'OLD.account'],
];

export const CREATE_HANDLE_TRIGGERS: string = HANDLE_CHANGES.map(
  ([change, accounts]) => `CREATE TRIGGER stale_after_${change.toLowerCase()} AFTER ${change} ON former_handle
    BEGIN UPDATE account SET revision = NULL WHERE id IN (${accounts}); END;`,
).join('\n');
export const DROP_HANDLE_TRIGGERS: string = HANDLE_CHANGES.map(
  ([change]) => `DROP TRIGGER IF EXISTS stale_after_${change.toLowerCase()};`,
).join('\n');

/** The triggers that detect a change by another program. A batch drops them while it works. */
export const CREATE_CHANGE_TRIGGERS: string = `${CREATE_CONTENT_TRIGGERS}\n${CREATE_HANDLE_TRIGGERS}`;
export const DROP_CHANGE_TRIGGERS: string = `${DROP_CONTENT_TRIGGERS}\n${DROP_HANDLE_TRIGGERS}`;
