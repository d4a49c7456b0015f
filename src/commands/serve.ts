import { Option } from '@commander-js/extra-typings';
import { stopped } from '../contract/pauses.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_HOST, DEFAULT_OUT, DEFAULT_PORT, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';

export function declareServe(program: Program, terminal: Terminal): void {
  program
    .command('serve')
    .summary('serve the tree on this machine')
    .description(
      'Serves the tree on this machine at the path of its base URL, to try it before publishing it. Answers ?page=N like a host with ' +
        'the files of palimpsest rewrite. The links of API pages and Atom feeds point to this server instead of the base URL.',
    )
    .addOption(
      new Option('--out <path>', 'the tree, or the folder with versions').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT),
    )
    .addOption(new Option('--host <address>', 'the address to listen on').env('PALIMPSEST_HOST').default(DEFAULT_HOST))
    .addOption(
      new Option('--port <n>', 'the port to listen on; 0 for any free port')
        .env('PALIMPSEST_PORT')
        .argParser(wholeNumber(0, 65_535))
        .default(DEFAULT_PORT),
    )
    .addOption(new Option('--no-rebase', 'do not change the links of API pages and Atom feeds').env('PALIMPSEST_NO_REBASE'))
    .addOption(new Option('--open', 'open the home page in a browser, or the feed if the tree has no browse files').env('PALIMPSEST_OPEN'))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest serve', `at http://${DEFAULT_HOST}:${DEFAULT_PORT}`],
        ['palimpsest serve --open', 'the same, and open the home page or the feed in a browser'],
        ['palimpsest serve --port 0 --no-rebase', 'at any free port, with unchanged pages'],
      ),
    )
    .action(async (options) => {
      terminal.setOutput(options);
      // http-server 14 passes every request through the package union, which sets the deprecated property _headers
      terminal.io.noDeprecation = true;
      const { serve } = await import('../serve/server.ts');
      const server = await serve({ ...options, onProblem: (problem) => terminal.warn(problem) });
      const hasHome = server.build.browse_files !== undefined;
      terminal.summary({ url: server.url, rebase: options.rebase, build: server.build }, [
        `serving ${options.out} at ${server.url}`,
        ...(hasHome ? [`  home      ${server.url}/`] : []),
        `  feed      ${server.url}/rest/data/`,
        `  accounts  ${server.url}/rest/account/`,
        ...(options.rebase ? [`  links     point here instead of to ${server.build.base_url}`] : []),
        'stop with Ctrl-C',
      ]);
      if (options.open) await openInBrowser(hasHome ? `${server.url}/` : `${server.url}/rest/data/`, terminal);
      await terminal.untilStopped();
      await server.close();
      throw stopped('the server ended, and no file was changed', 'run the same command to start it again');
    });
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
