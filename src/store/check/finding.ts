/** Something in a store that is damaged. */
export interface Finding {
  /** Such as `record 12 of jack`, `account jack`, `history of jack`, `former handles`, `order of accounts`, `revision`, `file`. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  /** Whether it can be derived again from undamaged data. */
  readonly repairable: boolean;
}
