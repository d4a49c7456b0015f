import { number, plural } from '../contract/plural.ts';

export { number, plural };

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
