import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS } from '../../../src/contract/collection.ts';
import { MISSING } from '../../../src/rewrite/resolve.ts';
import { Findings, type Probe } from '../probe.ts';

/** Checks that a composed tree without its head has no pages, and that they are there again with the head. */
export const withoutHead: Probe = async ({ ask, site, deploy }) => {
  const findings = new Findings();
  const [head, aside] = [join(site.tree, 'head.json'), join(site.tree, '..', 'head.json')];
  renameSync(head, aside);
  try {
    await deploy?.();
    for (const collection of COLLECTIONS) {
      for (const query of ['', '?page=2', '?as_of=1']) {
        const answer = await ask(site.path(collection) + query);
        findings.equal(collection + query, [answer.status, answer.body.toString()], [404, MISSING.body]);
        findings.interfaceHeaders(collection + query, answer);
      }
    }
  } finally {
    renameSync(aside, head);
    await deploy?.();
  }
  findings.bytes('with the head', (await ask(site.path('data'))).body, site.page('data', 1));
  return findings.found;
};
