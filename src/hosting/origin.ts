import { Failure } from '../contract/failure.ts';
import type { Host, Origin } from '../rewrite/hosts/host.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { CODINGS, type Encoding, encodingsIn, SUFFIXES } from '../tree/encoding.ts';

/** The encodings in order of preference, for readers that accept several. */
const PREFERRED: readonly Encoding[] = ['brotli', 'gzip'];

/**
 * Returns a host in the variant that is a proxy for an origin.
 * @param address the URL of the tree at the origin, above `rest/`
 * @param tree the local folder of the tree: its build record says how pages were compressed
 * @throws Failure usage if the host takes no origin, or the address is not valid
 */
export function beforeOrigin(host: Host, address: string, tree: string): Host {
  const { atOrigin } = host;
  if (atOrigin === undefined) {
    throw new Failure('usage', `${host.title} does not support --origin`, {
      expected: `a host that supports --origin: ${HOSTS.filter((candidate) => candidate.atOrigin !== undefined)
        .map(({ name }) => name)
        .join(', ')}`,
      found: host.name,
      hint: 'leave out --origin; for varnish and haproxy, edit the marked line with the origin in their files',
    });
  }
  const origin = originAt(address, tree);
  return {
    ...host,
    testedOn: atOrigin.testedOn,
    cannot: atOrigin.cannot,
    steps: atOrigin.steps,
    render: (site) => atOrigin.render(site, origin),
  };
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
  const url = new URL(address);
  const record = readBuildRecord(tree);
  const built = typeof record === 'object' ? encodingsIn(record.compress) : [];
  return {
    isSecure: url.protocol === 'https:',
    authority: url.host,
    name: url.hostname,
    isAddress: /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/.test(url.hostname),
    path: url.pathname.replace(/\/$/, ''),
    encodings: PREFERRED.filter((encoding) => built.includes(encoding)).map((encoding) => ({
      name: CODINGS[encoding],
      suffix: SUFFIXES[encoding],
    })),
  };
}
