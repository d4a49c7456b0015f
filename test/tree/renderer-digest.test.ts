import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';

it.each(['index.html', 'rest/data/page/1/index.json'])(
  'a build renders %s again if other code of the same release rendered it',
  async (pattern) => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await observe(store, [{ observed_at: '2024-01-01T00:00:00Z', screen_name: 'ann', id: '1', bio: 'a bio' }]);
    const build = () => palimpsestJson(['build', '--store', store, '--out', out, '--base-url', 'https://example.org', '--html']);
    await build();
    const text = (path: string) => readFileSync(join(out, path), 'utf8');
    const rendered = text(pattern);
    const old = rendered.replace('ann', 'ANN');
    writeFileSync(join(out, pattern), old);
    const manifest = text('manifest-sha256.txt').replaceAll(hash('sha256', rendered), hash('sha256', old));
    writeFileSync(join(out, 'manifest-sha256.txt'), manifest);
    const { renderer, ...record } = JSON.parse(text('build.json'));
    const other = { ...record, renderer: 'of other code', manifest: hash('sha256', manifest) };
    writeFileSync(join(out, 'build.json'), `${JSON.stringify(other)}\n`);
    await build();
    expect(text(pattern)).toBe(rendered);
    expect(JSON.parse(text('build.json'))).toHaveProperty('renderer', renderer);
    expect(await palimpsestJson(['verify', '--out', out, '--store', store])).toMatchObject({ violation_count: 0 });
  },
);
