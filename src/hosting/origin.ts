import { Failure } from '../contract/failure.ts';
import type { Host, Origin } from '../rewrite/hosts/host.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { CODINGS, type Encoding, encodingsIn, SUFFIXES } from '../tree/encoding.ts';

/** Readers who take several get the first. */
const PREFERRED: readonly Encoding[] = ['brotli', 'gzip'];

/**
 * A host as it is before an origin.
 * @param address of the tree there: a URL below which is `rest/`
 * @param tree its folder here, which says how pages were compressed
 * @throws Failure usage where the host takes no origin, or the address is none
 */
export function beforeOrigin(host: Host, address: string, tree: string): Host {
  const { atOrigin } = host;
  if (atOrigin === undefined) {
    throw new Failure('usage', `${host.title} takes no --origin`, {
      expected: `one of the hosts that do: ${HOSTS.filter((candidate) => candidate.atOrigin !== undefined)
        .map(({ name }) => name)
        .join(', ')}`,
      found: host.name,
      hint: 'leave --origin out; in the files of varnish and haproxy a marked line names theirs',
    });
  }
  const origin = originAt(address, tree);
  return {
    ...host,
    testedOn: atOrigin.proof,
    cannot: atOrigin.cannot,
    steps: atOrigin.steps,
    render: (site) => atOrigin.render(site, origin),
  };
}

function originAt(address: string, tree: string): Origin {
  // it is written into configurations, where other characters have a meaning
  if (!/^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*\/?$/.test(address) || !URL.canParse(address)) {
    throw new Failure('usage', 'the origin is not the address of a tree', {
      place: { field: '--origin' },
      expected:
        'http:// or https://, a name, and a path of letters, digits and ._~/- such as https://bucket.s3.eu-central-1.amazonaws.com/prefix',
      // what may be a secret is not printed
      found: address.replace(/\/\/.*@/, '//…@').replace(/\?.*/, '?…'),
      hint: 'name the address at which readers without credentials find the folder that has rest/',
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
