/** Which accounts the groups of files have. It takes a byte for each account: groups whose numbers differ by eight share a bit. */
export class AccountGroups {
  #bits = new Uint8Array(65_536);

  /** @param account the number of an account, in the order in which accounts are read */
  add(account: number, group: number): void {
    if (account >= this.#bits.length) {
      const bits = new Uint8Array(2 * account);
      bits.set(this.#bits);
      this.#bits = bits;
    }
    this.#bits[account] = (this.#bits[account] ?? 0) | (1 << (group % 8));
  }

  /** Whether a group can have an account. If not, it has not. */
  canHave(account: number, group: number): boolean {
    return ((this.#bits[account] ?? 0) & (1 << (group % 8))) !== 0;
  }
}
