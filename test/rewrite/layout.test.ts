import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { buildTree, goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-rewrite-'));
const [composed, fixed] = [join(folder, 'composed'), join(folder, 'static')];

beforeAll(async () => {
  const store = join(folder, 'store.db');
  await importHistory(store, goodHistory());
  await buildComposed(store, { out: composed, site: SITE, time: new Date('2026-11-22T03:00:00Z') });
  await buildTree(store, fixed);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the error that --json prints, with the exit code. */
async function failure(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await palimpsest(['rewrite', ...args, '--json'], { cwd: folder });
  return { exit: code, ...JSON.parse(stdout).error };
}

describe('palimpsest rewrite --layout', () => {
  it('writes files for the layout of the tree', async () => {
    const found = await palimpsestJson(['rewrite', 'node', '--out', composed]);
    expect(found).toMatchObject({ host: 'node', layout: 'composed' });
    expect(JSON.stringify(found['files'])).toContain("const BASE = '/api';");
    expect(found).toEqual(await palimpsestJson(['rewrite', 'node', '--out', composed], { env: { PALIMPSEST_LAYOUT: 'composed' } }));
    expect(await palimpsestJson(['rewrite', 'node', '--out', fixed])).toMatchObject({ host: 'node', layout: 'static' });
  });

  it('writes files for a layout without a tree', async () => {
    const found = await palimpsestJson(['rewrite', 'cloudflare-workers', '--layout', 'composed'], { cwd: folder });
    expect(found).toMatchObject({ layout: 'composed', steps: ['npx wrangler deploy'] });
    expect(JSON.stringify(found['files'])).toContain('r2_buckets');
  });

  it('refuses a host that cannot compose pages, with the reason and the hosts that can', async () => {
    for (const args of [
      ['nginx', '--layout', 'composed'],
      ['nginx', '--out', composed],
      ['nginx', '--out', composed, '--origin', 'https://bucket.example'],
    ]) {
      const error = await failure(args);
      expect(error).toMatchObject({ exit: 3, code: 'host-refused', message: 'nginx cannot serve a tree with the composed layout' });
      expect(error['found']).toContain('nginx-njs');
      expect(error['expected']).toContain('node, deno, bun');
    }
  });

  it('refuses a tree with the other layout', async () => {
    for (const [tree, layout] of [[composed, 'static'] as const, [fixed, 'composed'] as const])
      expect(await failure(['node', '--out', tree, '--layout', layout])).toMatchObject({ exit: 3, code: 'other-layout' });
  });

  it('lists the hosts that support the composed layout, and the reasons of the others', async () => {
    const { stdout } = await palimpsest(['rewrite', '--list']);
    expect(stdout.match(/with --layout composed lacks/g)).toHaveLength(9);
    expect(stdout).toMatch(/ {2}composed: composes pages/);
  });
});
