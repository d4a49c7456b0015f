import type { Terminal } from '../terminal/terminal.ts';

/** Returns the line about the next step after a run that wrote to the store: a build, if the run changed something. */
export function nextBuild(terminal: Terminal, hasChanged: boolean): string {
  return hasChanged ? `next: ${terminal.command('build')}` : 'nothing new: a build would write the same pages';
}
