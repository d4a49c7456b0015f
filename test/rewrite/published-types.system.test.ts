import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf } from '../docs/blocks.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const EXAMPLE = blocksOf('hosts.md')('Choose a host', 'ts')[0] ?? '';
/** How users of Node.js and of bundlers find a package. */
const RESOLUTIONS = [{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }];

/** A folder in which the package is installed, as far as `palimpsest/rewrite` needs it. */
function project(): string {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/palimpsest');
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  const compilerOptions = { rootDir: join(ROOT, 'src'), outDir: join(installed, 'dist') };
  const file = join(folder, 'compile.json');
  const settings = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions,
    include: [],
    files: [join(ROOT, 'src/rewrite/resolve.ts')],
  };
  writeFileSync(file, JSON.stringify(settings));
  execFileSync(process.execPath, [TSC, '--project', file, '--types', '']);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Compiles a module in strict mode. Returns the errors of the compiler. */
function compile(folder: string, text: string, resolution: object): string {
  writeFileSync(join(folder, 'example.ts'), text);
  const compilerOptions = { ...resolution, strict: true, target: 'es2022', lib: ['es2022', 'dom'], types: [], outDir: 'out' };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
  return spawnSync(process.execPath, [TSC], { cwd: folder, encoding: 'utf8' }).stdout;
}

it.each(RESOLUTIONS)('the example of a script compiles and answers with %o, and nothing internal has a type', async (resolution) => {
  const folder = project();
  expect(compile(folder, "export { decode } from 'palimpsest/rewrite';", resolution)).toContain("no exported member 'decode'");
  expect(compile(folder, EXAMPLE, resolution)).toBe('');
  type Read = (file: string) => Promise<string | undefined>;
  const { respond }: { readonly respond: (request: Request, read: Read) => Promise<Response> } = await import(
    /* @vite-ignore */ pathToFileURL(join(folder, 'out/example.js')).href
  );
  const answerTo = async (query: string, read: Read, method = 'GET') => {
    const response = await respond(new Request(`https://example.org/rest/data/${query}`, { method }), read);
    return [response.status, await response.text()];
  };
  expect(await answerTo('?page=2', async (file) => file)).toEqual([200, 'rest/data/page/2/index.json']);
  expect(await answerTo('?page=3', async () => undefined)).toEqual([404, '{"detail":"Invalid page."}']);
  expect(await answerTo('?page=4', () => Promise.reject(new Error('no disk')))).toEqual([503, expect.stringContaining('unavailable')]);
  expect(await answerTo('', async () => undefined, 'DELETE')).toEqual([405, '{"detail":"Method \\"DELETE\\" not allowed."}']);
});
