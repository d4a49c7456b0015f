import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { allHosts } from '../../src/rewrite/hosts/registry.ts';
import type { Linted, Subject } from './subject.ts';
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
import { nginxOrigin, stopCeph } from './subjects/nginx-origin.ts';
import { node } from './subjects/node.ts';
import { serviceWorker } from './subjects/service-worker.ts';
import { varnish } from './subjects/varnish.ts';
import { vercel } from './subjects/vercel.ts';
import { conforms, outcomes, passes } from './suite.ts';
import { withoutReleases, withTable } from './table.ts';
import { conformsWithVersions } from './versioned-suite.ts';

/** Every host, with the software on which its files are tested. */
const SUBJECTS: readonly Subject[] = [
  nginx,
  nginxOrigin,
  nginxNjs,
  apache,
  caddy,
  lighttpd,
  varnish,
  haproxy,
  node,
  deno,
  bun,
  cloudflareWorkers,
  netlify,
  vercel,
  cloudfrontFunctions,
  lambdaEdge,
  serviceWorker,
];

/** The hosts that no test can run. */
const LINTED: readonly Linted[] = [fastly];

afterAll(stopCeph);

for (const subject of SUBJECTS) {
  conforms(subject);
  if (subject.publish === undefined) await conformsWithVersions(subject);
}
for (const subject of LINTED) passes(subject);

/** Every host, and again each host that supports an origin or reads versions, in the order of the table. */
const NAMES = (await allHosts()).flatMap(({ name, atOrigin, versions }) => [
  name,
  ...(atOrigin === undefined ? [] : [`${name} --origin`]),
  ...(typeof versions === 'object' ? [`${name} --versions`] : []),
]);

test('every host is tested, also with an origin if it supports one, and with versions if it reads them', () => {
  expect(outcomes.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});

const DOCUMENT = new URL('../../docs/hosts.md', import.meta.url);
const isWhole = [...SUBJECTS, ...LINTED].every(({ needs }) => !needs.skip);

test.skipIf(!isWhole)('docs/hosts.md contains the results of this run (skipped if a server is missing)', () => {
  const order = NAMES.map((name) => outcomes.find((outcome) => outcome.name === name));
  const document = readFileSync(DOCUMENT, 'utf8');
  const wanted = withTable(
    document,
    order.filter((outcome) => outcome !== undefined),
  );
  if (process.env['WRITE_TABLE'] === 'yes') writeFileSync(DOCUMENT, wanted);
  else expect(withoutReleases(document), 'npm run docs:hosts writes it').toBe(withoutReleases(wanted));
});
