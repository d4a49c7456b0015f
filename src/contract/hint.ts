/** A command of this program that a hint names. The command line renders it so that it works when it is pasted. */
export interface SuggestedCommand {
  /** Its name, with its group: `store check`. */
  readonly command: string;
  /** Its options, such as `{ '--repair': true }`; a list repeats an option. The options that are in force are added when it is rendered, except one that is false. */
  readonly options: { readonly [long: string]: string | number | boolean | readonly string[] };
  readonly args: readonly string[];
}

/** What to do next, as an imperative. Commands of this program in it are data. */
export type Hint = string | readonly (string | SuggestedCommand)[];

export function suggested(command: string, options: SuggestedCommand['options'] = {}, args: readonly string[] = []): SuggestedCommand {
  return { command, options, args };
}

/** Template tag: returns a hint with commands in it. */
export function hint(texts: TemplateStringsArray, ...commands: readonly SuggestedCommand[]): Hint {
  return texts.flatMap((text, index) => {
    const command = commands[index];
    return command === undefined ? [text] : [text, command];
  });
}

/** Returns a hint as text. Commands with a pipe between them become one. */
export function hintText(parts: Hint, render: (command: SuggestedCommand) => string): string {
  if (typeof parts === 'string') return parts;
  const text = parts.map((part) => (typeof part === 'string' ? part : `\`${render(part)}\``)).join('');
  return text.replaceAll(/` (\|[^`]*\|) `/g, ' $1 ');
}

/** Returns a text as one word of a POSIX shell. Only bash, zsh and ksh know the form for control characters. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/['\\]/g, '\\$&');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  return `$'${escaped.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}
