import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { nginx } from '../conformance/subjects/nginx.ts';
import { drf, startService } from '../drf/live-service.ts';
import { EXTREME } from '../drf/samples.ts';
import { ask } from '../serve/exchange.ts';
import { temporaryFolder } from '../support/folder.ts';
import { toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { treeOf, validates } from './openapi.ts';

describe('docs/openapi.json', () => {
  it.skipIf(nginx.needs.skip)(`describes the answers of nginx (${nginx.needs.reason || 'installed'})`, async () => {
    const folder = temporaryFolder();
    const [tree, files, work] = [await treeOf(EXTREME, folder), join(folder, 'files'), join(folder, 'work')];
    mkdirSync(work);
    await palimpsestJson(['rewrite', 'nginx', '--out', tree, '--host-files', files]);
    const running = await nginx.start({ files, tree, work, base: '' });
    onTestFinished(running.stop);
    await validates(running.ask);
  });

  it.skipIf(drf.skip)(`describes the answers of a live Django REST Framework (${drf.reason || 'installed'})`, async () => {
    const folder = temporaryFolder();
    const input = join(folder, 'history.ndjson');
    writeFileSync(input, `${toNdjson(EXTREME).join('\n')}\n`);
    const { baseUrl } = await startService(input, join(folder, 'live.db'), { page_size: 2, account_page_size: 1 });
    await validates((target, method) => ask(baseUrl, target, method, { accept: 'application/json' }));
  });
});
