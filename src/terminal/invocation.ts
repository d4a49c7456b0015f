import { basename, delimiter, dirname, relative } from 'node:path';
import { shellWord } from '../contract/hint.ts';
import type { ProcessIO } from './process-io.ts';

const NAME = 'palimpsest';
/** What starts a program of the project with each package manager that sets npm_config_user_agent. */
const RUNNERS: { readonly [manager: string]: string } = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' };

/**
 * Returns the command that starts this program in the way in which it was started: `palimpsest`, `npx palimpsest`,
 * `node bin/palimpsest.js`.
 * @param script the path of the script, as in `process.argv[1]`
 * @param cwd the current folder
 */
export function invocationOf(script: string, env: ProcessIO['env'], cwd: string): string {
  const manager = /^\w+/.exec(env['npm_config_user_agent'] ?? '')?.[0] ?? '';
  const [, project] = /^(.*)\/node_modules\/\.bin\/[^/]+$/.exec(script) ?? [];
  // elsewhere, such as in a cache of npx, the same words would fetch whatever package has this name
  if (project !== undefined && isInside(cwd, project)) return `${RUNNERS[manager] ?? 'npx'} ${NAME}`;
  if (project !== undefined) return shellWord(script);
  const isOnPath = (env['PATH'] ?? '').split(delimiter).includes(dirname(script));
  if (basename(script) === NAME) return isOnPath ? NAME : shellWord(script);
  const path = relative(cwd, script);
  return `node ${shellWord(path.startsWith('..') ? script : path)}`;
}

function isInside(folder: string, parent: string): boolean {
  return !relative(parent || '/', folder).startsWith('..');
}
