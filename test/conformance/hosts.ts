import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allHosts } from '../../src/rewrite/hosts/registry.ts';
import { NO_HOST_CAN } from './probes/all.ts';
import { type Outcome, SHARED_REASONS, withoutReleases, withResults } from './results.ts';
import { type Linted, nameOf, type Subject } from './subject.ts';
import { apache } from './subjects/apache.ts';
import { bun } from './subjects/bun.ts';
import { caddy } from './subjects/caddy.ts';
import { cloudflareWorkers } from './subjects/cloudflare-workers.ts';
import { cloudfrontFunctions } from './subjects/cloudfront-functions.ts';
import { deno } from './subjects/deno.ts';
import { fastly } from './subjects/fastly.ts';
import { haproxy } from './subjects/haproxy.ts';
import { lambdaEdge } from './subjects/lambda-edge.ts';
import { lighttpd } from './subjects/lighttpd.ts';
import { netlify } from './subjects/netlify.ts';
import { nginx } from './subjects/nginx.ts';
import { nginxNjs } from './subjects/nginx-njs.ts';
import { nginxOrigin } from './subjects/nginx-origin.ts';
import { node } from './subjects/node.ts';
import { serviceWorker } from './subjects/service-worker.ts';
import { varnish } from './subjects/varnish.ts';
import { vercel } from './subjects/vercel.ts';
import { conforms, passes } from './suite.ts';
import { conformsWithVersions } from './versioned-suite.ts';

/** Every host, with the software on which its files are tested. Each group has a test file of its own, so that groups run at once. */
const GROUPS = {
  servers: [nginx, nginxNjs, apache, caddy, lighttpd, varnish, haproxy],
  buckets: [nginxOrigin],
  runtimes: [node, deno, bun, netlify, vercel, lambdaEdge],
  simulators: [cloudflareWorkers, cloudfrontFunctions],
  browsers: [serviceWorker],
} satisfies { readonly [group: string]: readonly Subject[] };

/** The hosts that no test can run. */
const LINTED: readonly Linted[] = [fastly];

const DOCUMENT = new URL('../../docs/hosts.md', import.meta.url);

/** Checks the hosts of a group, and that docs/hosts.md has their results. */
export async function groupConforms(group: keyof typeof GROUPS): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const subject of GROUPS[group]) {
    outcomes.push(conforms(subject, group === 'servers' || group === 'buckets'));
    if (readsVersions(subject)) outcomes.push(await conformsWithVersions(subject));
  }
  const isWhole = GROUPS[group].every(({ needs }) => !needs.skip);
  hasResults(isWhole, outcomes);
}

/** Checks the files of the hosts that no test can run, that every host is tested, and what the document says of all hosts. */
export async function othersConform(): Promise<void> {
  const outcomes = LINTED.map(passes);
  hasResults(
    LINTED.every(({ needs }) => !needs.skip),
    outcomes,
  );
  const all = await allHosts();

  test('every host is tested, also with an origin if it supports one, and with versions if it reads them', () => {
    const subjects: readonly Subject[] = Object.values(GROUPS).flat();
    const tested = subjects.flatMap((subject) => [nameOf(subject), ...(readsVersions(subject) ? [`${subject.host.name} --versions`] : [])]);
    const names = all.flatMap(({ name, atOrigin, withVersions }) => [
      name,
      ...(atOrigin === undefined ? [] : [`${name} --origin`]),
      ...(withVersions !== undefined ? [`${name} --versions`] : []),
    ]);
    expect([...tested, ...LINTED.map(({ host }) => host.name)].toSorted()).toEqual(names.toSorted());
  });

  test('docs/hosts.md says what no host can, and the reasons that many hosts share', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    for (const [name, words] of Object.entries(NO_HOST_CAN)) expect(document).toContain(`- no host has \`${name}\`: ${words}\n`);
    for (const [name, words] of Object.entries(SHARED_REASONS)) expect(document).toContain(`- \`${name}\`: ${words}\n`);
  });
}

function readsVersions({ host, publish }: Subject): boolean {
  return host.withVersions !== undefined && publish === undefined;
}

function hasResults(isWhole: boolean, outcomes: readonly Outcome[]): void {
  test.skipIf(!isWhole)('docs/hosts.md contains the results of this run (skipped if a server is missing)', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    const wanted = withResults(document, outcomes);
    if (process.env['WRITE_TABLE'] === 'yes') writeFileSync(DOCUMENT, wanted);
    else expect(withoutReleases(document), 'npm run docs:hosts writes it').toBe(withoutReleases(wanted));
  });
}
