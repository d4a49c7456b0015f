import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Host, Origin } from '../rewrite/hosts/host.ts';
import { allHosts, HOST_NAMES, hostNamed, REFUSED } from '../rewrite/hosts/registry.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { CODINGS, type Encoding, encodingsIn, SUFFIXES } from '../tree/encoding.ts';

/** Returns the names most similar to a name, best first, at most `most`. */
export type ClosestNames = (name: string, names: Iterable<string>, most: number) => readonly string[];

/** @throws Failure host-refused if palimpsest does not support the host, with the reason; usage if the name is unknown */
export async function findHost(name: string | undefined, closestNames: ClosestNames): Promise<Host> {
  const host = name === undefined ? undefined : await hostNamed(name);
  if (host !== undefined) return host;
  const refused = REFUSED.find((candidate) => candidate.name === name);
  if (refused !== undefined) {
    throw new Failure('host-refused', `${refused.title} cannot serve a tree`, {
      expected: 'a host that can answer ?page=2 with another file than ?page=3',
      found: refused.reason,
      hint: refused.instead,
    });
  }
  const [similar] = name === undefined ? [] : [...HOST_NAMES.filter((one) => one.startsWith(name)), ...closestNames(name, HOST_NAMES, 1)];
  throw new Failure('usage', name === undefined ? 'the name of the host is missing' : `there is no host "${name}"`, {
    expected: HOST_NAMES.join(', '),
    found: name ?? 'no name',
    hint: similar === undefined ? hint`run ${suggested('rewrite')} to see what each host can do` : `did you mean ${similar}?`,
  });
}

/** @throws Failure host-refused if the host has no such variant, with the reason */
export async function withVersions(host: Host): Promise<Host> {
  const { withVersions: variant, noVersions = 'it runs no program that reads parts of a file' } = host;
  // the limits are for the files of a tree
  if (variant !== undefined) return { ...host, untested: {}, ...variant, limits: {} };
  throw new Failure('host-refused', `${host.title} cannot serve a site with versions`, {
    expected: `a host that reads versions: ${await namesOfHosts((one) => one.withVersions !== undefined)}`,
    found: noVersions,
    hint: hint`choose another host, or publish pages as files: ${suggested('build', { '--out': 'FOLDER' })}`,
  });
}

/** The encodings in order of preference, for readers that accept several. */
const PREFERRED: readonly Encoding[] = ['brotli', 'gzip'];

/**
 * Returns a host in the variant that is a proxy for an origin.
 * @param address the URL of the tree at the origin, above `rest/`
 * @param tree the local folder of the tree: its build record says how pages were compressed
 * @throws Failure usage if the host takes no origin, or the address is not valid
 */
export async function beforeOrigin(host: Host, address: string, tree: string): Promise<Host> {
  const { atOrigin } = host;
  if (atOrigin === undefined) {
    throw new Failure('usage', `${host.title} does not support --origin`, {
      expected: `a host that supports --origin: ${await namesOfHosts((one) => one.atOrigin !== undefined)}`,
      found: host.name,
      hint: 'leave out --origin; for varnish and haproxy, edit the marked line with the origin in their files',
    });
  }
  const origin = originAt(address, tree);
  return { ...host, ...atOrigin, render: (site) => atOrigin.render(site, origin) };
}

async function namesOfHosts(isWanted: (host: Host) => boolean): Promise<string> {
  const hosts = await allHosts();
  return hosts
    .filter(isWanted)
    .map(({ name }) => name)
    .join(', ');
}

function originAt(address: string, tree: string): Origin {
  // the address is written into configuration files, and other characters have a meaning there
  if (!/^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*\/?$/i.test(address) || !URL.canParse(address)) {
    throw new Failure('usage', 'the origin is not the address of a tree', {
      place: { field: '--origin' },
      expected:
        'http:// or https://, a name, and a path of letters, digits and ._~/-, such as https://bucket.s3.eu-central-1.amazonaws.com/prefix',
      // does not print the parts that may be a secret
      found: address.replace(/\/\/.*@/, '//…@').replace(/\?.*/, '?…'),
      hint: 'name the public address of the folder that contains rest/',
    });
  }
  const record = readBuildRecord(tree);
  const built = typeof record === 'object' ? encodingsIn(record.compress) : [];
  return {
    url: new URL(address),
    encodings: PREFERRED.filter((encoding) => built.includes(encoding)).map((encoding) => ({
      name: CODINGS[encoding],
      suffix: SUFFIXES[encoding],
    })),
  };
}
