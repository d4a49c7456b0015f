import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Host } from '../rewrite/hosts/host.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import type { Layout } from '../tree/found-layout.ts';

/**
 * Returns a host in the variant for a layout.
 * @throws Failure host-refused if the host cannot compose pages, with the reason
 */
export function forLayout(host: Host, layout: Layout): Host {
  if (layout === 'static') return host;
  const { composed } = host;
  // the limits are for the files of a deployment with the static layout
  if (composed !== undefined) return { ...host, ...composed, untested: composed.untested ?? {}, limits: {} };
  throw new Failure('host-refused', `${host.title} cannot serve a tree with the composed layout`, {
    expected: `a host that composes pages: ${HOSTS.filter((candidate) => candidate.composed !== undefined)
      .map(({ name }) => name)
      .join(', ')}`,
    found: host.cannot.composed ?? 'a host that composes no pages',
    hint: hint`choose another host, or run ${suggested('build', { '--layout': 'static' })} with another --out`,
  });
}
