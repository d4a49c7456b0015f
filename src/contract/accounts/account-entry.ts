import type { FormerHandle } from './account-state.ts';

/** One account in a list of accounts. */
export interface AccountEntry {
  readonly screen_name: string;
  /** The identifier that stays when the handle changes; null: no source gave one. */
  readonly stable_id: string | null;
  /** The present display name; "" if no source gave one. */
  readonly display_name: string;
  /** Sorted by time, then by handle. */
  readonly former_handles: readonly FormerHandle[];
  /** The number of change records. */
  readonly records: number;
  /** The times of the first and the last record, as they are published; null: no records. */
  readonly first_record_date: string | null;
  readonly last_record_date: string | null;
}
