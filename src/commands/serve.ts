import type { Values } from '../command-line/commands.ts';
import { serve } from '../serve/server.ts';
import type { Terminal } from '../terminal/terminal.ts';

export async function runServe(terminal: Terminal, options: Values<'serve'>): Promise<void> {
  // http-server 14 passes every request through the package union, which sets the deprecated property _headers
  terminal.io.noDeprecation = true;
  const server = await serve({ ...options, onProblem: (problem) => terminal.warn(problem) });
  const hasHome = server.build.browse_files !== undefined;
  terminal.summary({ url: server.url, rebase: options.rebase, build: server.build }, [
    `serving ${options.out} at ${server.url}`,
    hasHome && `  home      ${server.url}/`,
    `  feed      ${server.url}/rest/data/`,
    `  accounts  ${server.url}/rest/account/`,
    options.rebase && `  links     point here instead of to ${server.build.base_url}`,
    'stop with Ctrl-C',
  ]);
  if (options.open) await openInBrowser(hasHome ? `${server.url}/` : `${server.url}/rest/data/`, terminal);
  await terminal.untilStopped();
  await server.close();
}

/** Opens a URL in the default browser. Warns if there is none: the server runs nevertheless. */
async function openInBrowser(url: string, terminal: Terminal): Promise<void> {
  const { default: open } = await import('open');
  const warn = (reason: string) => terminal.warn(`cannot open a browser (${reason}); open ${url} yourself`);
  try {
    const opener = await open(url);
    opener.once('error', (error) => warn(error.message));
    opener.once('exit', (code) => code !== 0 && code !== null && warn(`exit code ${code}`));
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
  }
}
