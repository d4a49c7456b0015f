import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Host } from '../rewrite/hosts/host.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';

/**
 * Returns a host in the variant that reads files from the versions of a site.
 * @throws Failure host-refused if the host has no such variant, with the reason
 */
export function withVersions(host: Host): Host {
  const { versions = 'it runs no program that reads parts of a file' } = host;
  // the limits are for the files of a tree
  if (typeof versions !== 'string') return { ...host, untested: {}, ...versions, limits: {} };
  throw new Failure('host-refused', `${host.title} cannot serve a site with versions`, {
    expected: `a host that reads versions: ${HOSTS.filter((one) => typeof one.versions === 'object')
      .map(({ name }) => name)
      .join(', ')}`,
    found: versions,
    hint: hint`choose another host, or publish pages as files: ${suggested('build', { '--out': 'FOLDER' })}`,
  });
}
