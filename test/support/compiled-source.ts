import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the program that all tests of a run use. */
    program: string;
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SRC = join(ROOT, 'src/');
const TEST = join(ROOT, 'test/');
const CACHE = join(ROOT, 'node_modules/.cache/palimpsest');
/** What the compiled program consists of, besides `src`. */
const OTHERS = ['bin/palimpsest.js', 'bundle.js', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
/** What the compiled program reads in place. */
const LINKED = ['package.json', 'docs', 'data', 'src'];
/** How long a folder of other sources stays: another run may use it. */
const UNUSED_MS = 3_600_000;

/** Returns the folder of the program that is compiled from what is in `src` now. */
export function programFolder(): string {
  const hash = createHash('sha256');
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
  for (const path of [...sources.filter((path) => /\.(ts|json)$/.test(path)), ...OTHERS].sort()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return join(CACHE, hash.digest('hex').slice(0, 16));
}

/** Compiles the program before a run, if its sources changed since the last one. Types are not checked. */
export function setup(): void {
  const program = programFolder();
  if (!existsSync(program)) compile(program);
  utimesSync(program, new Date(), new Date());
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    if (Date.now() - statSync(folder).mtimeMs > UNUSED_MS) rmSync(folder, { recursive: true, force: true });
  }
}

function compile(program: string): void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'new-'));
  // tests run the program as another user too
  chmodSync(folder, 0o755);
  const tsc = (project: string, to: string, ...options: string[]) =>
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project, '--outDir', join(folder, to), '--noCheck', ...options],
      { cwd: ROOT, stdio: 'inherit' },
    );
  tsc('tsconfig.build.json', 'dist', '--declaration', 'false');
  tsc('src/browse/client', 'dist/browse/script');
  // not a link: Node.js would follow it and run `dist` of this checkout
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name));
  execFileSync(process.execPath, [join(ROOT, 'bundle.js')], { cwd: folder, stdio: 'inherit' });
  try {
    renameSync(folder, program);
  } catch (error) {
    // another run compiled the same sources meanwhile
    if (!existsSync(program)) throw error;
    rmSync(folder, { recursive: true });
  }
}

/**
 * Replaces each module of `src` with its compiled form, so that tests, commands, threads and processes run one copy. `vitest --changed`
 * still sees what depends on what, by imports that never run: of the modules that a module imports, and of the one that a test is
 * named after.
 */
export function compiledSource(program: string): Plugin {
  return {
    name: 'compiled-source',
    enforce: 'pre',
    load(id) {
      if (!id.startsWith(SRC) || !id.endsWith('.ts')) return;
      const path = relative(SRC, id).replace(/ts$/, 'js');
      const compiled = join(program, 'dist', path.replace(/^browse\/client\//, 'browse/script/client/'));
      return [`export * from ${JSON.stringify(compiled)};`, ...importedBy(id).map((other) => `() => import('${other}');`)].join('\n');
    },
    transform(code, id) {
      const path = join(SRC, relative(TEST, id).replace(/(\.\w+)?\.test\.ts$/, '.ts'));
      return id.endsWith('.test.ts') && existsSync(path) ? `${code}\n() => import('${path}');` : undefined;
    },
  };
}

/** Returns the modules of `src` that a module runs: also those of its threads, but not those of its types. */
function importedBy(id: string): string[] {
  const text = readFileSync(id, 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  const paths = [...text.matchAll(/(?:from |import\(|new URL\()'(\.[^']+)\.[tj]s'/g)].map(([, path = '']) => path);
  return paths.map((path) => resolve(dirname(id), `${path}.ts`)).filter((path) => existsSync(path));
}
