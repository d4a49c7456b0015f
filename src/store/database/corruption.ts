import { encodeIdentity, encodeSummary } from '../../contract/account.ts';
import { encodeAccountState, parseAccountState } from '../../contract/accounts/account-state.ts';
import { Failure } from '../../contract/failure.ts';
import { encodeRecord, parseRecord } from '../../contract/record.ts';
import { Violation } from '../../contract/shape.ts';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { StateRow } from '../accounts/account-rows.ts';

/** Returns why an import would not accept a stored record; undefined if it would. */
export function corruptionInRecord(id: number, json: string): string | undefined {
  try {
    const record = parseRecord(JSON.parse(json));
    return record.id === id && encodeRecord(record) === json ? undefined : 'JSON with other content or in another form';
  } catch (error) {
    return error instanceof Violation ? error.message : 'text that is not JSON';
  }
}

/** Returns why an import would not write these columns of a stored account; undefined if it would. */
export function corruptionInAccount(accounts: AccountReader, row: StateRow): string | undefined {
  try {
    const state = parseAccountState(JSON.parse(encodeAccountState(accounts.state(row))));
    const isSame = encodeIdentity(state) === row.identity && encodeSummary(state.profile) === row.summary;
    return isSame && state.screen_name === row.screen_name ? undefined : 'JSON with other content or in another form';
  } catch (error) {
    if (error instanceof Failure) return error.found;
    return error instanceof Violation ? error.message : 'values that cannot be parsed';
  }
}

/** Returns the account that a record names, if its text is still readable. */
export function accountIn(json: string): string {
  return /"account":"((?:[^"\\]|\\.)*)"/.exec(json)?.[1] ?? 'an unreadable account';
}
