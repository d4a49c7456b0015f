import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/rewrite/hosts/capability.ts';
import type { Host } from '../../src/rewrite/hosts/host.ts';
import { HOSTS } from '../../src/rewrite/hosts/registry.ts';
import { REFUSED } from '../../src/rewrite/hosts/unsupported.ts';
import type { Program } from '../../src/rewrite/program.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PROGRAM } from '../support/palimpsest.ts';

const ROOT = new URL('../../', import.meta.url);
const document = readFileSync(new URL('docs/hosts.md', ROOT), 'utf8');

/** The first block of code in a language after a heading. */
function code(heading: string, language: string): string {
  const from = document.slice(document.indexOf(`\n## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(from)?.[1] ?? '';
}

describe('docs/hosts.md', () => {
  it('lists every supported and every refused host', () => {
    for (const { name } of HOSTS) expect(document).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
    for (const { name } of REFUSED) expect(document).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
    expect(readFileSync(new URL('README.md', ROOT), 'utf8')).toContain('seventeen hosts');
    expect(HOSTS.length).toBe(17);
  });

  it('lists exactly the capabilities, word for word', () => {
    const section = document.slice(document.indexOf('## Capabilities'), document.indexOf('The tests write the table'));
    const rows = [...section.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map((match) => [match[1], match[2]]);
    expect(Object.fromEntries(rows)).toEqual(CAPABILITIES);
  });

  it('has an example host that works', async () => {
    const folder = temporaryFolder();
    const source = code('A new host', 'ts').replace(/'\.\.?\/(program|host)\.ts'/g, (_, name: string) => {
      return `'${new URL(name === 'host' ? 'src/rewrite/hosts/host.ts' : 'src/rewrite/program.ts', ROOT).href}'`;
    });
    writeFileSync(join(folder, 'example.ts'), source);
    const { example }: { readonly example: Host } = await import(/* @vite-ignore */ join(folder, 'example.ts'));
    for (const { path, text } of example.render({
      origin: 'https://example.org',
      domain: 'example.org',
      base: '/api',
      browse: false,
      hasVersions: false,
      program: compiled,
    }))
      writeFileSync(join(folder, path), text);
    mkdirSync(join(folder, 'out/rest/data/page/2'), { recursive: true });
    writeFileSync(join(folder, 'out/rest/data/page/2/index.json'), '{"page":2}');
    process.env['TREE'] = join(folder, 'out');
    const { handle }: { readonly handle: (request: Request) => Promise<Response> } = await import(
      /* @vite-ignore */ pathToFileURL(join(folder, 'main.mjs')).href
    );
    const found = await handle(new Request('https://example.org/api/rest/data/?page=2'));
    expect([found.status, await found.text()]).toEqual([200, '{"page":2}']);
    expect((await handle(new Request('https://example.org/api/rest/data/?page=3'))).status).toBe(404);
  });

  it('describes the parameters of resolve correctly', () => {
    expect(resolve('GET', '/rest/data/', 'page=2').file).toBe('rest/data/page/2/index.json');
    expect(resolve('GET', '/browse/changes/2.html', '', '', true).file).toBe('browse/changes/2.html');
    expect(resolve('GET', '/api/rest/data/', 'page=abc', '/api')).toMatchObject({ status: 404, body: '{"detail":"Invalid page."}' });
  });
});

const compiled: Program = (name) => readFileSync(join(PROGRAM, `dist/rewrite/${name}.js`), 'utf8');
