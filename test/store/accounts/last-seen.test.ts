import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ndjson } from '../../../src/export/ndjson.ts';
import { importInputs } from '../../../src/import/import.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../../../src/store/database/change-triggers.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { removeAccounts } from '../../../src/store/exclusions/remove.ts';
import { Store } from '../../../src/store/store.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { observe, sourceOf } from '../../support/snapshots.ts';
import { command } from '../damaged-store.ts';

let store: string;
beforeEach(() => {
  store = join(temporaryFolder(), 'store.db');
});

/** Observes accounts on a day of March 2024, in one run. Their profiles never change. */
const night = (day: number, ...names: readonly string[]) =>
  observe(
    store,
    names.map((name) => seen(day, name)),
  );

function seen(day: number, screen_name: string) {
  return { observed_at: new Date(Date.UTC(2024, 2, day)).toISOString(), screen_name, id: screen_name, bio: 'a' };
}

/** Returns the day of March on which each account that was not seen lately was last seen. Opens the store first, as each command does. */
function lastSeen(path = store): Readonly<Record<string, number>> {
  Store.open(path).close();
  const database = new Connection(path);
  const rows = database
    .prepare<[], { screen_name: string; last_seen: number }>('SELECT * FROM account WHERE last_seen IS NOT NULL AND last_seen <> -1')
    .all();
  database.close();
  return Object.fromEntries(rows.map(({ screen_name, last_seen }) => [screen_name, new Date(last_seen / 1000).getUTCDate()]));
}

function revisionAt(path = store) {
  const opened = Store.open(path);
  const { revision } = opened;
  opened.close();
  return revision;
}

/** Writes to a store as another program. @param isNoticed whether the triggers of the store notice it */
function write(sql: string, isNoticed: boolean): void {
  const database = new Connection(store);
  database.exec(isNoticed ? sql : `${DROP_CHANGE_TRIGGERS} ${sql}; ${CREATE_CHANGE_TRIGGERS}`);
  database.close();
}

describe('an account that was not seen lately', () => {
  it('can be one whose only observation has the first time of a clock', async () => {
    await observe(store, [{ ...seen(1, 'ann'), observed_at: '1970-01-01T00:00:00Z' }, seen(1, 'bob')]);
    expect(lastSeen()).toEqual({ ann: 1 });
  });

  it('is one that no observation of the newest 10 days has, until it returns; other nights add no revision', async () => {
    await night(1, 'ann', 'bob');
    const { number: first, fingerprint } = revisionAt();
    for (const day of [2, 5, 11]) await night(day, 'ann');
    expect([lastSeen(), revisionAt().number]).toEqual([{}, first]);
    await night(12, 'ann');
    expect([lastSeen(), revisionAt().number]).toEqual([{ bob: 1 }, first + 1]);
    expect(revisionAt().fingerprint).not.toBe(fingerprint);
    await night(13, 'ann');
    expect([lastSeen(), revisionAt().number]).toEqual([{ bob: 1 }, first + 1]);
    // found later, and still before the newest 10 days
    await night(2, 'bob');
    expect([lastSeen(), revisionAt().number]).toEqual([{ bob: 2 }, first + 2]);
    await night(14, 'bob');
    expect([lastSeen(), revisionAt().number]).toEqual([{}, first + 3]);
    expect(revisionAt().fingerprint).toBe(fingerprint);
  });

  it('was seen lately again if the account with the newest observation is removed', async () => {
    await night(1, 'ann', 'bob');
    await night(20, 'cyd');
    expect(lastSeen()).toEqual({ ann: 1, bob: 1 });
    await removeAccounts(store, ['cyd'], { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false });
    expect(lastSeen()).toEqual({});
  });

  it('is the same in a store that an export was imported into, and in one that already has some of the accounts', async () => {
    await night(1, 'ann', 'bob');
    await night(2, 'bob');
    await night(20, 'cyd');
    const opened = Store.open(store);
    const lines = [...ndjson(opened)].join('').trimEnd().split('\n');
    opened.close();
    for (const before of [[], [seen(1, 'ann'), seen(1, 'bob')]]) {
      const copy = join(temporaryFolder(), 'copy.db');
      if (before.length > 0) await observe(copy, before);
      await importInputs(copy, [sourceOf(lines)], { onConflict: 'fail' });
      expect(lastSeen(copy)).toEqual({ ann: 1, bob: 2 });
      expect(revisionAt(copy).fingerprint).toBe(revisionAt().fingerprint);
    }
  });

  it('is derived again after another program changed the times of observations', async () => {
    await night(1, 'ann');
    await night(2, 'bob');
    write("UPDATE account SET observed_to = observed_to + 864000000000 WHERE screen_name = 'bob'", true);
    expect(lastSeen()).toEqual({ ann: 1 });
    write("UPDATE account SET observed_to = observed_to - 864000000000 WHERE screen_name = 'bob'", true);
    await importInputs(store, [sourceOf([bioRecord(1, { account: 'dee' })])], { onConflict: 'fail' });
    expect(lastSeen()).toEqual({});
  });
});

describe('palimpsest store check', () => {
  it.each([
    ['derives last_seen again: a missing one', 'UPDATE account SET last_seen = NULL', true],
    ['derives last_seen again: a surplus one', "UPDATE account SET last_seen = observed_to WHERE screen_name = 'bob'", true],
    ['derives last_seen again: a wrong one, which no build shows', "UPDATE account SET last_seen = 5 WHERE screen_name = 'ann'", true],
    ['reports damaged times of observations', "UPDATE account SET observed_to = observed_to * 2 WHERE screen_name = 'bob'", false],
  ])('%s', async (_, damage, repairable) => {
    await night(1, 'ann', 'cyd');
    await night(20, 'bob', 'cyd');
    const { fingerprint } = revisionAt();
    write(damage, false);
    const build = ['build', '--html', '--store', store, '--out', join(temporaryFolder(), 'out'), '--base-url', 'https://example.org'];
    expect((await command(build)).error).toBe(/= (?:5|NULL)/.test(damage) ? 'bad-store' : undefined);
    const check = async (...options: readonly string[]) =>
      JSON.parse((await command(['store', 'check', '--store', store, ...options])).stdout);
    expect((await check()).findings).toContainEqual(expect.objectContaining({ subject: 'times of observations', repairable }));
    expect(await check('--repair')).toMatchObject({ repaired: repairable });
    if (!repairable) return;
    expect(await check()).toMatchObject({ finding_count: 0 });
    expect([lastSeen(), revisionAt().fingerprint]).toEqual([{ ann: 1 }, fingerprint]);
  });
});
