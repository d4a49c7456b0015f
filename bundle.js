import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const { rendererDigest } = await import(pathToFileURL(resolve('dist/tree/renderer-digest.js')));

/**
 * Packages that are not bundled. better-sqlite3 is a native module. The clients of object stores are optional. http-server loads spdy only
 * for HTTP/2, and does not install it.
 */
const EXTERNAL = /^(better-sqlite3|spdy|@aws-sdk\/.*|@azure\/.*)$/;

/** The modules of dist that threads run. */
const THREADS = [
  'archive/record-thread',
  'import/reading-thread',
  'observe/render-thread',
  'tree/build/browse-worker',
  'tree/build/render-worker',
  'tree/account-index-thread',
  'verify/span-thread',
];

/** A digest of files that are not in the package: it is computed when the package is made. */
const fixedDigest = {
  name: 'fixed-digest',
  load: (id) => (id.endsWith('/dist/tree/renderer-digest.js') ? `export const rendererDigest = () => '${rendererDigest()}';` : undefined),
};

/**
 * Commander loads node:child_process for subcommands that are programs of their own. palimpsest has none, and loading it takes a tenth of
 * the startup time.
 */
const noProcesses = {
  name: 'no-processes',
  resolveId: (name, importer) => (name === 'node:child_process' && /\/node_modules\/commander\//.test(importer) ? '\0empty' : undefined),
  load: (id) => (id === '\0empty' ? 'module.exports = {};' : undefined),
};

/** Writes the licenses of the packages that the chunks contain. */
const licenses = {
  name: 'licenses',
  generateBundle(_, files) {
    const modules = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const foreign = modules.filter((id) => !id.startsWith(resolve('dist')));
    const folders = new Set(foreign.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
    const texts = [...folders].sort().map((folder) => {
      const { name, version, license = 'license below' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((one) => /^license/i.test(one));
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8')}`;
    });
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: texts.join(`\n${'-'.repeat(80)}\n`) });
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
};

/**
 * Bundles the compiled modules in ./dist into a few files, because Node.js needs about a millisecond to load each module. The files are
 * in one folder beside the folders of the modules, so that relative URLs stay the same.
 */
await build({
  input: Object.fromEntries(['cli', ...THREADS].map((path) => [path.split('/').at(-1), `dist/${path}.js`])),
  platform: 'node',
  external: EXTERNAL,
  plugins: [fixedDigest, noProcesses, licenses],
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: 'dist/bundle',
    // a CommonJS module starts faster than an ES module
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: false,
    dynamicImportInCjs: true,
    cleanDir: true,
  },
});

/** Bundles the script of the HTML pages. */
await build({
  input: 'dist/browse/script/client/main.js',
  platform: 'browser',
  output: {
    dir: 'dist/bundle/client',
    format: 'iife',
    strict: true,
    comments: false,
    minify: { compress: false, mangle: false, codegen: true },
  },
});
