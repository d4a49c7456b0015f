/** The texts of the compiled modules from which the scripts for JavaScript hosts are made. */
export interface Program {
  /** resolve.js: maps a request to an answer. */
  readonly resolve: string;
  /** respond.js: does the same for runtimes with the Fetch API. */
  readonly respond: string;
}

/**
 * Returns modules as the end of a self-contained script. Imports are removed, and exports become declarations that the
 * earlier lines of the script can use.
 */
export function inlined(program: Program, ...parts: readonly (keyof Program)[]): string {
  const modules = parts.map((part) => program[part].replace(/^import .*\n/gm, '').replace(/^export (?=[a-z])/gm, ''));
  return `// The rest is the rewrite function of palimpsest, the same on every host. Do not edit it.\n\n${modules.join('\n')}`;
}
