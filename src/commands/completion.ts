import { readFileSync } from 'node:fs';
import type { Values } from '../command-line/commands.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function runCompletion(terminal: Terminal, { shell }: Values<'completion'>): void {
  terminal.io.stdout.write(readFileSync(new URL(`../../src/commands/completions/${shell}`, import.meta.url), 'utf8'));
}
