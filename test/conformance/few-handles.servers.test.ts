import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { PROGRAM, palimpsestJson } from '../support/palimpsest.ts';
import { freePort, listening, startChild } from './child.ts';
import { startRuntime } from './runtime.ts';
import type { Running } from './subject.ts';
import { bun } from './subjects/bun.ts';
import { node } from './subjects/node.ts';
import { siteAt } from './suite.ts';

/** Few more file handles than each server needs for itself. */
const FEW = 'prlimit --nofile=48';

type Start = (tree: string, folder: string) => Promise<Running>;

const serve: Start = async (tree) => {
  const port = await freePort();
  const [command = '', ...args] = FEW.split(' ');
  const program = [process.execPath, join(PROGRAM, 'bin/palimpsest.js'), 'serve', '--no-rebase', '--out', tree, '--port', String(port)];
  return listening(port, startChild(command, [...args, ...program]));
};

// Deno itself ends if it cannot accept a connection
const hosts = [node, bun].map(({ host, needs }) => {
  const start: Start = async (tree, folder) => {
    const files = join(folder, 'files');
    await palimpsestJson(['rewrite', host.name, '--out', tree, '--to', files]);
    const steps = host.steps.map((step) => step.replace(/(?= (?:node|bun) )/, ` ${FEW}`));
    return startRuntime({ files, tree }, steps, { HOST: '127.0.0.1', DO_NOT_TRACK: '1' });
  };
  return { name: host.name, skip: needs.skip, start };
});

describe.each([{ name: 'palimpsest serve', skip: false, start: serve }, ...hosts])('with few file handles, $name', ({ skip, start }) => {
  test.skipIf(skip)('answers no page with 404, and all pages afterwards', async () => {
    const folder = temporaryFolder();
    const { tree } = (await siteAt('', false)).copy(join(folder, 'site'));
    const running = await start(tree, folder);
    try {
      const targets = Array.from({ length: 200 }, (_, index) => `/rest/${index % 2 === 0 ? 'data' : 'account'}/?page=${(index % 3) + 1}`);
      // a server without handles may also close the connection
      const statuses = await Promise.allSettled(targets.map(async (target) => (await running.ask(target)).status));
      expect(statuses).not.toContainEqual(expect.objectContaining({ value: 404 }));
      for (const target of targets.slice(0, 6)) expect((await running.ask(target)).status).toBe(200);
    } finally {
      await running.stop();
    }
  });
});

// cspell:words prlimit nofile
