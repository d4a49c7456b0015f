import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort, listening } from '../conformance/child.ts';
import { nginx } from '../conformance/subjects/nginx.ts';
import { startDebianNginx } from '../conformance/subjects/nginx-machine.ts';
import { treeOf, validates } from '../docs/openapi.ts';
import { LARGE } from '../drf/samples.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { fingerprint, mirrored } from './mirrored.ts';

it.skipIf(nginx.needs.skip)(
  'nginx with the locations of docs/mirror.md gives a mirror its manifest, and answers as docs/openapi.json says',
  async () => {
    const folder = temporaryFolder();
    const files = join(folder, 'nginx');
    const port = await freePort();
    const out = await treeOf(LARGE, folder, `http://127.0.0.1:${port}`);
    await palimpsestJson(['rewrite', 'nginx', '--out', out, '--to', files]);
    const locations = ['build.json', 'manifest-sha256.txt'].map((name) => `location = /${name} { root ${out}; }`).join(' ');
    // the server runs as another user: the folder of its work is made readable, and with it the tree
    const changes = { 'listen 80': `${locations} listen 127.0.0.1:${port}` };
    const child = startDebianNginx({ files, tree: out, work: folder }, nginx.host.steps, port, changes);
    const { ask, stop } = await listening(port, child);
    onTestFinished(stop);
    await validates(ask);
    const store = join(folder, 'mirror.db');
    expect(await mirrored(store, `http://127.0.0.1:${port}`)).toMatchObject({ isComplete: true, isTree: true });
    expect(fingerprint(store)).toBe(fingerprint(join(folder, 'store.db')));
    expect(await mirrored(store, `http://127.0.0.1:${port}`)).toMatchObject({ isComplete: true, requests: { all: 1 } });
  },
);
