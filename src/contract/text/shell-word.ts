/** Returns a text as one word of a POSIX shell. Only bash, zsh and ksh know the form for control characters. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/['\\]/g, '\\$&');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  return `$'${escaped.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}
