/** Formats a number with commas: `12,345`. */
export function number(value: number): string {
  let digits = String(value);
  let text = '';
  for (; digits.length > 3; digits = digits.slice(0, -3)) text = `,${digits.slice(-3)}${text}`;
  return digits + text;
}

/** Returns a number with its noun: `1 change`, `2,000 changes`. */
export function counted(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
