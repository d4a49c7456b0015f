import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { installed, MODULES } from './child.ts';
import { QUERIES } from './queries.ts';

const MATCHER = fileURLToPath(new URL('subjects/netlify-rules.mjs', import.meta.url));
const matcher = installed('@netlify/redirects');

/** The best possible rules for Netlify. */
const RULES = `
[[redirects]]
  from = "/rest/data/"
  query = { page = ":n" }
  to = "/rest/data/page/:n/index.json"
  status = 200
  force = true

[[redirects]]
  from = "/rest/data/"
  to = "/rest/data/index.json"
  status = 200
  force = true
`;

/** Shows why the host `netlify` is an edge function. If this test fails, rules may be sufficient now. */
describe.skipIf(matcher.skip)(`redirect rules in Netlify's own matcher (${matcher.reason || 'installed'})`, () => {
  test('would answer some core queries with page 1', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'netlify.toml'), RULES);
    const queries = QUERIES.filter(({ asks }) => asks === 'core').map(({ query }) => query);
    const targets = queries.map((query) => `/rest/data/${query}`);
    const { stdout, stderr } = spawnSync(process.execPath, [MATCHER, MODULES, folder, JSON.stringify(targets)], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    const files: unknown = JSON.parse(stdout || `"${stderr}"`);
    if (!Array.isArray(files)) throw new Error(String(files));
    const led = new Map(queries.map((query, index) => [query, files[index]]));
    expect(led.get('?page=2')).toBe('/rest/data/page/2/index.json');
    expect(led.get('?utm=x&page=2')).toBe('/rest/data/page/2/index.json');
    expect(led.get('?page=2&')).toBe('/rest/data/index.json');
  });
});
