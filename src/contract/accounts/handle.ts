/** Matches characters without a width. Some of them change the direction of the text around them. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A handle of which only letters in upper case can make two spellings: printable ASCII that does not begin with `@`. */
const PLAIN = /^(?!@)[!-~]*$/;

/**
 * Returns the key of a handle. Two handles are one if their keys are equal: case, compatible forms such as full-width letters,
 * composed and decomposed characters, invisible characters, spaces at the ends, and `@` at the beginning make no difference.
 */
export function handleKey(handle: string): string {
  if (isPlainHandle(handle)) return handle.toLowerCase();
  return foldedText(handle).trim().replace(/^@+/, '') || handle;
}

/** Whether the key of a handle is the handle in lower case. */
export function isPlainHandle(handle: string): boolean {
  return PLAIN.test(handle);
}

/** Returns a text in which every handle is spelled as its key. */
export function foldedText(text: string): string {
  const visible = text.normalize('NFKC').replace(INVISIBLE, '');
  return visible.toLowerCase().normalize('NFKC');
}
