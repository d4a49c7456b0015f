import { hash } from 'node:crypto';

/** Returns a WARC-Record-ID that follows from the parts: a UUID of version 8 with bits of their SHA-256. */
export function recordId(...parts: readonly string[]): string {
  const digits = hash('sha256', parts.join('\n'));
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ];
  return `<urn:uuid:${groups.join('-')}>`;
}
