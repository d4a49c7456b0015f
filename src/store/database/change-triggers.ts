/** Changes of the content, which delete the revisions. */
const CONTENT_CHANGES: readonly string[] = [
  'INSERT ON record',
  'UPDATE ON record',
  'DELETE ON record',
  'INSERT ON account',
  'UPDATE OF screen_name, stable_id, identity, summary, observed_to, change_intervals ON account',
  'DELETE ON account',
];

/** Changes of former handles, which make their accounts stale. */
const HANDLE_CHANGES: readonly (readonly [change: string, accounts: string])[] = [
  ['INSERT', 'NEW.account'],
  ['UPDATE', 'OLD.account, NEW.account'],
  ['DELETE', 'OLD.account'],
];

/** What each trigger does, by its name. */
const TRIGGERS: readonly (readonly [name: string, change: string, action: string])[] = [
  ...CONTENT_CHANGES.map((change, index) => [`forget_${index}`, change, 'DELETE FROM revision'] as const),
  ...HANDLE_CHANGES.map(
    ([change, accounts]) =>
      [
        `stale_after_${change.toLowerCase()}`,
        `${change} ON former_handle`,
        `UPDATE account SET revision = NULL WHERE id IN (${accounts})`,
      ] as const,
  ),
];

/** The triggers that detect a change by another program. A batch drops them while it works. */
export const CREATE_CHANGE_TRIGGERS: string = TRIGGERS.map(
  ([name, change, action]) => `CREATE TRIGGER ${name} AFTER ${change} BEGIN ${action}; END;`,
).join('\n');
export const DROP_CHANGE_TRIGGERS: string = TRIGGERS.map(([name]) => `DROP TRIGGER IF EXISTS ${name};`).join('\n');
