import type { Values } from '../command-line/commands.ts';
import { number, size } from '../contract/amounts.ts';
import { openRemote } from '../storage/remote.ts';
import { table } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { listVersions } from '../versions/newest-commit.ts';
import { SITE_KIND } from '../versions/site-version.ts';
import { listedTargetOf, requestsOf } from './target-options.ts';

export async function runVersions(terminal: Terminal, options: Values<'versions'>): Promise<void> {
  const target = await listedTargetOf('no-tree', options, terminal);
  const remote = openRemote(target, requestsOf(options, terminal));
  const { versions, withdrawn, problems } = await listVersions(remote, SITE_KIND).finally(() => target.close());
  const results = versions.map((one, index) => ({ ...one, current: index === 0 }));
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next publish repairs it`);
  const rows = [
    ...results.map((one) => [
      String(one.number),
      one.time,
      number(one.records),
      number(one.accounts),
      size(one.bytes),
      one.current ? 'current' : '',
    ]),
    ...withdrawn.map((one) => [String(one.number), one.time, '', '', '', 'withdrawn']),
  ];
  terminal.summary(
    { target: target.name, results, withdrawn, problems },
    rows.length === 0
      ? [`${target.name} has no versions`]
      : table(['number', 'time', 'records', 'accounts', 'size', ''], [0, 2, 3, 4], rows),
  );
}
