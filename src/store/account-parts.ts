import { crc32 } from 'node:zlib';

const COUNT = ',"data_page_count":';

/** An account's checksum: that of its JSON before and after its `data_page_count`, plus how many records it has. */
export function accountChecksum(head: Buffer, tail: string, records: number): number {
  return crc32(tail, crc32(head)) + records;
}

/**
 * How many accounts a text holds, and the sum of their checksums.
 * @param json the accounts' JSON with commas between
 * @param parts for each account how many records it has, and how many bytes its head and its tail; commas between all
 * @returns sum NaN where the text is not of those parts
 */
export function accountsChecksum(json: Buffer, parts: string, pageSize: number): { readonly accounts: number; readonly sum: number } {
  const numbers = numbersIn(parts);
  let [offset, sum] = [0, 0];
  for (let index = 0; index < numbers.length; index += 3) {
    const [records = 0, head = 0, tail = 0] = [numbers[index], numbers[index + 1], numbers[index + 2]];
    const before = crc32(json.subarray(offset, offset + head));
    offset += head + COUNT.length + String(Math.ceil(records / pageSize)).length;
    sum += crc32(json.subarray(offset, offset + tail), before) + records;
    offset += tail + 1;
  }
  const isWhole = offset === (numbers.length === 0 ? 0 : json.length + 1);
  return { accounts: numbers.length / 3, sum: isWhole ? sum : Number.NaN };
}

function numbersIn(parts: string): readonly number[] {
  return parts === '' ? [] : parts.split(',').map(Number);
}
