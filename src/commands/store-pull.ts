import { pull } from '../backup/pull.ts';
import type { Values } from '../command-line/commands.ts';
import { seconds } from '../terminal/amounts.ts';
import { bytes } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { versionLine } from './store-version-line.ts';
import { requestsOf, requestsText, targetOf, trafficOf } from './target.ts';

export async function runStorePull(terminal: Terminal, options: Values<'store pull'>): Promise<void> {
  const started = performance.now();
  const target = await targetOf(options.target, options, terminal);
  const { version, unchanged, problems, traffic } = await pull(target, {
    ...options,
    ...requestsOf(options, terminal),
    version: options.number,
    onProgress: terminal.progress({
      compare: { label: 'reading the local store', amount: bytes },
      fetch: { label: 'downloading', amount: bytes },
      decompress: { label: 'decompressing', amount: bytes },
    }),
  }).finally(() => target.close());
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next push repairs it`);
  const milliseconds = Math.round(performance.now() - started);
  const requests = requestsText(target, traffic.requests);
  const lines =
    version === undefined
      ? [`${target.name} has no store yet: nothing was downloaded`]
      : [
          unchanged ? `${options.store} is already version ${version.number}` : `pulled ${versionLine(version)}`,
          `  ${requests === undefined ? 'time      ' : `traffic   ${requests}, `}${seconds(milliseconds)}`,
        ];
  terminal.summary(
    {
      target: target.name,
      store: options.store,
      version: version ?? null,
      upToDate: unchanged,
      requests: trafficOf(traffic),
      problems,
      milliseconds,
    },
    lines,
  );
}
