/** The compiled modules of this room that JavaScript hosts are made from, as text. */
export interface Program {
  /** resolve.js: a request in, an answer out. */
  readonly resolve: string;
  /** respond.js: the same for runtimes with the Fetch API. */
  readonly respond: string;
}

/** Which modules of the program a script needs. */
export type Part = keyof Program;

/**
 * Modules as the end of one script that can be pasted as a whole: nothing is imported, and what they exported
 * the script's own lines above can use.
 */
export function inlined(program: Program, ...parts: readonly Part[]): string {
  const modules = parts.map((part) => program[part].replace(/^import .*\n/gm, '').replace(/^export (?=[a-z])/gm, ''));
  return `// From here on: the rewrite function of palimpsest, the same on every host. Nothing below needs to be changed.\n\n${modules.join('\n')}`;
}
