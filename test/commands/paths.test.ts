import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

describe('a URL instead of a path', () => {
  it.each([
    'build --base-url https://example.org --out s3://bucket/site',
    'build --base-url https://example.org --store https://example.org/a.db',
    'import page.json az://container/pages',
    'import page.json --rejects s3://bucket/a.ndjson',
    'observe file:///var/profiles.ndjson',
    'rewrite nginx --host-files s3://bucket/host',
    'serve --out s3://bucket/site',
    'publish s3:/bucket/site',
    'publish s3://bucket --out s3://bucket/site',
  ])('is wrong usage, and creates no folder: %s', async (line) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await palimpsestHere(line.split(' '), { cwd });
    expect(stderr).toMatch(/not a URL|is not a valid source|did you mean s3:\/\/bucket\/site\?/);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is accepted as a path if it starts with ./', async () => {
    const cwd = temporaryFolder();
    const { stderr } = await palimpsestHere(['import', './https:/page.json'], { cwd });
    expect(stderr).toContain('(no-source)');
    expect(existsSync(join(cwd, 'https:'))).toBe(false);
  });
});
