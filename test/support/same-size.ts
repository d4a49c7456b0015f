import { goodHistory } from '../verify/good-tree.ts';
import type { History } from './histories.ts';

/** Returns a history whose newest Bio is a number of six digits. Two numbers give pages of the same size with different bytes. */
export function numbered(number: number, length?: number): History {
  const { records, accounts } = goodHistory(length);
  const text = String(number).padStart(6, '0');
  const newest = records.find((record) => record.data_type === 'Bio');
  const edited = records.map((record) => (record === newest ? { ...record, text } : record));
  const data = (name: string) => edited.filter((record) => record.account === name);
  return { records: edited, accounts: accounts.map((account) => ({ ...account, data: data(account.screen_name) })) };
}
