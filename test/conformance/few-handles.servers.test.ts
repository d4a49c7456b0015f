import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { startRuntime } from './runtime.ts';
import { bun } from './subjects/bun.ts';
import { node } from './subjects/node.ts';
import { siteAt } from './suite.ts';

/** Few more file handles than each runtime needs for itself. */
const HANDLES = 48;

// Deno itself ends if it cannot accept a connection
describe.each([node, bun])('$host.name', ({ host, needs }) => {
  test.skipIf(needs.skip)(`answers no page with 404 if it has only ${HANDLES} file handles, and answers all pages afterwards`, async () => {
    const folder = temporaryFolder();
    const files = join(folder, 'files');
    const { tree } = (await siteAt('', false)).copy(join(folder, 'site'));
    await palimpsestJson(['rewrite', host.name, '--out', tree, '--host-files', files]);
    const steps = host.steps.map((step) => step.replace(/(?= (?:node|bun) )/, ` prlimit --nofile=${HANDLES}`));
    const running = await startRuntime({ files, tree }, steps, { HOST: '127.0.0.1', DO_NOT_TRACK: '1' });
    try {
      const targets = Array.from({ length: 200 }, (_, index) => `/rest/${index % 2 === 0 ? 'data' : 'account'}/?page=${(index % 3) + 1}`);
      // a server without handles may also close the connection
      const statuses = await Promise.all(
        targets.map((target) =>
          running.ask(target).then(
            ({ status }) => status,
            () => 'closed',
          ),
        ),
      );
      expect(statuses.filter((status) => status === 404)).toEqual([]);
      for (const target of targets.slice(0, 6)) expect((await running.ask(target)).status).toBe(200);
    } finally {
      await running.stop();
    }
  });
});
