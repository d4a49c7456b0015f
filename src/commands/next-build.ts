import type { Terminal } from '../terminal/terminal.ts';

/** Returns the line about the next step after a run that wrote to the store: a build, if the run changed something. */
export async function nextBuild(terminal: Terminal, hasChanged: boolean): Promise<string> {
  return hasChanged ? `next: ${await terminal.command('build')}` : 'nothing new: a build would write the same pages';
}
