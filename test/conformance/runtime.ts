import { dirname } from 'node:path';
import { freePort, inPackage, listening, startChild } from './child.ts';
import type { Running, Trial } from './subject.ts';

/**
 * Starts a runtime with the single step of its host, in the folder of its files. The test sets the tree and the port.
 */
export async function startRuntime(
  { files, tree }: Pick<Trial, 'files' | 'tree'>,
  steps: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  const port = await freePort();
  const [step = '', ...more] = steps;
  const here = step.replace('TREE=/var/www/palimpsest/out', `TREE=${tree}`).replace('PORT=8080', `PORT=${port}`);
  if (more.length > 0 || !here.includes(tree) || !here.includes(String(port))) throw new Error(`steps: ${steps.join('; ')}`);
  // Deno and Bun come from .ci/servers, and this Node.js comes first on the path
  const path = [dirname(process.execPath), inPackage('.bin'), process.env['PATH']].join(':');
  return listening(port, startChild('sh', ['-c', `cd ${files}; export ${here.replace(/ (?=[a-z])/, '; exec ')}`], { ...env, PATH: path }));
}
