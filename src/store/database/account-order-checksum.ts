/** The place of accounts without records in the order: after every possible record id. */
export const NO_RECORD: number = 2 ** 53;

/**
 * The term of an account in the sum over all accounts. The sum detects a changed place, revision or checksum, and a changed name of an
 * account without records: they are sorted by name. Each part is below 2^32, so that sums of a million accounts are exact in
 * JavaScript.
 */
export const RANKING_TERM = `(place % 4294967291 + (revision * 65537) % 4294967291 + ifnull(checksum, 0)
  + iif(place = ${NO_RECORD}, crc32(screen_name), 0))`;
/** The modulus of the sum over all accounts: 2^40. */
export const RANKING_MODULUS: number = 2 ** 40;
