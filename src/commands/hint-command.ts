import { type SuggestedCommand, suggested } from '../contract/hint.ts';
import type { HintCommand } from '../sources/hint-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Returns the commands that hints about the sources of a run show.
 * @param sources the sources of the run
 * @param observeOptions the options to repeat in commands that observe
 */
export async function hintCommandFor(
  terminal: Terminal,
  sources: readonly string[],
  observeOptions: SuggestedCommand['options'] = {},
): Promise<HintCommand> {
  const render = await terminal.loadRenderer(['import', 'observe', 'export']);
  return (verb, source, options = {}) => {
    const args = verb === 'export ndjson' ? [] : source === undefined ? sources : [source];
    return render(suggested(verb, { ...(verb === 'observe' ? observeOptions : {}), ...options }, args));
  };
}
