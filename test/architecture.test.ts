import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** The modules that each module may import besides itself. Dependencies point one way. */
const MODULES: { readonly [module: string]: readonly string[] } = {
  contract: [],
  rewrite: [],
  version: [],
  threads: ['contract'],
  terminal: ['contract'],
  http: [],
  warc: ['contract'],
  sources: ['contract', 'warc'],
  diff: ['contract'],
  store: ['contract'],
  import: ['contract', 'threads', 'sources', 'store'],
  observe: ['contract', 'threads', 'sources', 'diff', 'store'],
  normalize: ['contract', 'sources', 'store', 'observe', 'storage'],
  export: ['contract', 'store'],
  pages: ['contract', 'store'],
  browse: ['contract', 'store', 'pages'],
  zip: ['contract'],
  tree: ['contract', 'threads', 'store', 'pages', 'browse', 'version', 'zip'],
  archive: ['contract', 'threads', 'browse', 'rewrite', 'tree', 'version', 'warc'],
  hosting: ['contract', 'rewrite', 'tree', 'versions'],
  serve: ['contract', 'hosting', 'rewrite', 'tree', 'versions', 'zip'],
  verify: ['contract', 'threads', 'store', 'pages', 'browse', 'rewrite', 'tree', 'version', 'zip', 'storage'],
  storage: ['contract', 'http', 'store'],
  versions: ['contract', 'store', 'tree', 'verify', 'storage', 'zip', 'version'],
  publish: ['contract', 'browse', 'rewrite', 'tree', 'storage', 'version'],
  backup: ['contract', 'store', 'storage', 'version', 'versions'],
  removal: ['contract', 'store', 'browse', 'tree', 'storage', 'zip', 'sources', 'warc'],
  history: ['contract', 'diff', 'store', 'terminal'],
  mirror: ['contract', 'http', 'sources', 'store', 'import', 'tree', 'versions', 'version', 'warc'],
};
/** The folders of publish that each of its folders may import besides itself. `publish/publish.ts` may import all of them. */
const PUBLISH: { readonly [folder: string]: readonly string[] } = {
  objects: [],
  state: ['objects'],
  planning: ['state'],
  trees: ['objects', 'state', 'planning'],
  transfer: ['objects', 'planning', 'trees'],
};
/** The entry points may import everything. */
const ENTRY = ['cli', 'command-line', 'commands'];

/** The files or folders that may import each package. */
const PACKAGES: { readonly [name: string]: readonly string[] } = {
  '@aws-sdk/client-s3': ['storage/targets/s3.ts', 'storage/targets/s3-conversions.ts'],
  '@azure/identity': ['storage/targets/azure.ts'],
  '@azure/storage-blob': ['storage/targets/azure.ts'],
  'better-sqlite3': ['store'],
  commander: ['cli.ts', 'command-line', 'commands/completion.ts'],
  diff: ['contract/closest-names.ts', 'diff'],
  'fs-extra/esm': ['archive', 'hosting', 'observe', 'sources/unpack', 'versions'],
  'http-server': ['serve'],
  'hyparquet-writer': ['export/parquet.ts'],
  'p-limit': ['storage/concurrency-limit.ts', 'tree'],
  'modern-tar': ['sources/unpack/tar-members.ts'],
  open: ['commands/serve.ts'],
  parse5: ['sources/formats/mastodon.ts'],
  picomatch: ['sources/inputs/file-filter.ts'],
  'wrap-ansi': ['history'],
  yauzl: ['sources/archives/read-wacz.ts', 'sources/archives/zip-directory.ts', 'sources/unpack/zip-members.ts'],
  yazl: ['archive/wacz.ts'],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
const imports: readonly Import[] = files.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/^(?:import|export)\s[^'"`;=()]*\sfrom '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => ({
      file,
      specifier: match[1] ?? match[2] ?? '',
    }),
  ),
);

/** Returns the files that a file loads before it runs: its imports and those of the imported files, but not types. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const text = readFileSync(join(SRC, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export)\s(?!type\s)[^'"`;=()]*\sfrom '(\.[^']+)'/gm)) {
    loadedBy(targetOf({ file, specifier }), loaded);
  }
  return loaded;
}

const moduleOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.ts$/, '');
const targetOf = ({ file, specifier }: Import) => normalize(join(dirname(file), specifier));
const relative = imports.filter(({ specifier }) => specifier.startsWith('.'));
const packages = imports.filter(({ specifier }) => !/^(\.|node:)/.test(specifier));

describe('the architecture', () => {
  it('lists every module of src', () => {
    expect([...Object.keys(MODULES), ...ENTRY].toSorted()).toEqual([...new Set(files.map(moduleOf))].toSorted());
  });

  it('lets each module import only the modules that its entry lists', () => {
    const wrong = relative.filter((one) => {
      const [from, to] = [moduleOf(one.file), moduleOf(targetOf(one))];
      return !ENTRY.includes(from) && from !== to && !MODULES[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('lets each folder of publish import only the folders that its entry lists', () => {
    const folderOf = (file: string) => /^publish\/(\w+)\//.exec(file)?.[1];
    expect([...new Set(files.map(folderOf).filter((folder) => folder !== undefined))].toSorted()).toEqual(Object.keys(PUBLISH).toSorted());
    const wrong = relative.filter((one) => {
      const [from, to] = [folderOf(one.file), targetOf(one)];
      const isInside = to.startsWith('publish/');
      return from !== undefined && isInside && from !== folderOf(to) && !PUBLISH[from]?.includes(folderOf(to) ?? '');
    });
    expect(wrong).toEqual([]);
  });

  it('keeps the plans of publish free of requests and files', () => {
    const planning = relative.filter(({ file }) => file.startsWith('publish/planning/'));
    expect(planning.filter((one) => targetOf(one) === 'storage/remote.ts')).toEqual([]);
    expect(imports.filter(({ file, specifier }) => file.startsWith('publish/planning/') && specifier.startsWith('node:'))).toEqual([]);
  });

  it('starts threads in one place', () => {
    expect(files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('new Worker('))).toEqual(['threads/thread-pool.ts']);
  });

  it('wraps targets in one place', () => {
    const importers = relative.filter((one) => targetOf(one) === 'storage/retry.ts');
    expect(importers.map(({ file }) => file)).toEqual(['storage/remote.ts']);
  });

  it.each([
    ['modules', MODULES],
    ['folders of publish', PUBLISH],
  ])('has no cycle of %s', (_, table) => {
    const reach = (module: string, path: readonly string[] = []): readonly string[] =>
      path.includes(module) ? [...path, module] : (table[module] ?? []).flatMap((next) => reach(next, [...path, module]));
    expect(Object.keys(table).flatMap((module) => reach(module))).toEqual([]);
  });

  it('lets only the listed files and folders import each package', () => {
    const wrong = packages.filter(
      ({ file, specifier }) => !PACKAGES[specifier]?.some((place) => file === place || file.startsWith(`${place}/`)),
    );
    expect(wrong).toEqual([]);
  });

  it('has at most 16 files in each folder, except one for each command and each host', () => {
    const folders = [...new Set(files.map(dirname))];
    const large = folders.filter((folder) => files.filter((file) => dirname(file) === folder).length > 16);
    expect(large.toSorted()).toEqual(['commands', 'rewrite/hosts']);
  });

  it('keeps the checks of pages independent of the walk through them', () => {
    const targets = relative.filter(({ file }) => file.startsWith('verify/pages/')).map(targetOf);
    const outside = targets.filter((target) => target.startsWith('verify/') && !target.startsWith('verify/pages/'));
    expect([...new Set(outside)].toSorted()).toEqual(['verify/manifest-check.ts', 'verify/violation.ts']);
  });

  it('keeps the rewrite function free of imports and independent of the hosts', () => {
    const rewrite = imports.filter(({ file }) => moduleOf(file) === 'rewrite' && !file.startsWith('rewrite/hosts/'));
    expect(rewrite.filter(({ file, specifier }) => file === 'rewrite/resolve.ts' || !specifier.startsWith('.'))).toEqual([]);
    expect(rewrite.filter((one) => targetOf(one).startsWith('rewrite/hosts/'))).toEqual([]);
  });

  it('loads the modules that render browse files only for a build with browse files', () => {
    const loaded = loadedBy('tree/build/build.ts');
    expect(loaded).toContain('tree/build/swap-files.ts');
    expect(
      [...loaded].filter((file) => ['browse/browse.ts', 'browse/search/search-index.ts', 'tree/build/browse-render.ts'].includes(file)),
    ).toEqual([]);
  });

  it('loads only the part of the store with pages into a thread that renders them', () => {
    const loaded = loadedBy('tree/build/render-worker.ts');
    expect(loaded).toContain('store/page-source.ts');
    expect(loaded).not.toContain('store/store.ts');
  });

  it('finds every import in src', () => {
    expect(imports.length).toBeGreaterThan(500);
    expect(new Set(packages.map(({ specifier }) => specifier))).toEqual(new Set(Object.keys(PACKAGES)));
  });
});
