/** Formats a whole number with thousands separators. Does not use Intl, because loading it costs every command 10 ms. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun, in the singular or plural: `1 record`, `2,000 records`. */
export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a number of bytes with a decimal unit. */
export function size(bytes: number): string {
  if (bytes < 1e3) return plural(bytes, 'byte');
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value < 10 ? value.toFixed(1) : number(Math.round(value))} ${unit}`;
}

/** Formats a duration that is given in milliseconds. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  if (value < 59.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
