import { goodHistory } from '../verify/good-tree.ts';
import type { History } from './histories.ts';

/** A history whose newest Bio has a text of six digits: those of two numbers make pages of one size with other bytes. */
export function numbered(number: number, length?: number): History {
  const { records, accounts } = goodHistory(length);
  const text = String(number).padStart(6, '0');
  const newest = records.find((record) => record.data_type === 'Bio');
  const edited = records.map((record) => (record === newest ? { ...record, text } : record));
  const data = (name: string) => edited.filter((record) => record.account === name);
  return { records: edited, accounts: accounts.map((account) => ({ ...account, data: data(account.screen_name) })) };
}
