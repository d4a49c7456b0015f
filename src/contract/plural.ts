/** Formats a whole number with thousands separators. Does not use Intl, because loading it costs every command 10 ms. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun, in the singular or plural: `1 record`, `2,000 records`. */
export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}
