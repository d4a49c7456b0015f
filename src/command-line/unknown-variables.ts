import type { Terminal } from '../terminal/terminal.ts';

/** Warns of variables that look like options of palimpsest, but no command has them. */
export async function warnOfUnknownVariables(terminal: Terminal, known: ReadonlySet<string>): Promise<void> {
  const { env } = terminal.io;
  const unknown = Object.keys(env).filter((name) => name.startsWith('PALIMPSEST_') && env[name] !== '' && !known.has(name));
  if (unknown.length === 0) return;
  const { suggest } = await import('../history/suggest.ts');
  for (const name of unknown) {
    const [similar] = suggest(name, known, 1);
    terminal.warn(`${name} is ignored, because no command has this variable${similar === undefined ? '' : `; did you mean ${similar}?`}`);
  }
}
