import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programFor } from '../../src/command-line/program.ts';
import { exitCodeOf, FAILURES } from '../../src/contract/failure-codes.ts';
import type { Host } from '../../src/rewrite/hosts/host.ts';
import type { Program } from '../../src/rewrite/inlined-modules.ts';
import { FORMAT_NAMES } from '../../src/sources/formats/all-formats.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { VERSION } from '../../src/version.ts';
import { bioRecord } from '../support/bio-record.ts';
import { commandsIn } from '../support/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PROGRAM, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { blocksOf, section } from './blocks.ts';

// the examples have few items: the guard for many rejected ones is tested in test/commands
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const silent = { write: () => true };
const terminal = new Terminal({ stdin: (async function* () {})(), stdout: silent, stderr: silent, env: {}, once: () => {} });
const commands = commandsIn(programFor(terminal));

describe('the command line', () => {
  it('has every exit code in docs/cli.md', () => {
    const codes = [0, ...new Set(Object.keys(FAILURES).map(exitCodeOf))];
    for (const code of codes) expect(read('docs/cli.md')).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  it('names the correct environment variable of every option', () => {
    for (const [, command] of commands) {
      for (const { long = '', envVar } of command.options) {
        if (long === '--yes') continue;
        // the same job can run commands with options of the same names
        const isOwn =
          (command.name() === 'publish' && long.startsWith('--keep')) || (command.name() === 'mirror' && long === '--concurrency');
        const own = isOwn ? `${command.name().toUpperCase()}_` : '';
        expect(envVar).toBe(`PALIMPSEST_${own}${long.slice(2).toUpperCase().replaceAll('-', '_')}`);
      }
    }
  });
});

describe('the section about rejected items in docs/import.md', () => {
  /** The commands of each code block, as lists of arguments. */
  const blocks = blocksOf('import.md')('Rejected items', 'sh').map((code) => code.split('\n').map((line) => line.split(' ').slice(1)));
  const user = (id: number, description: unknown) => ({ id_str: String(id), screen_name: `user_${id}`, description });
  const change = (id: number, value: unknown) => bioRecord(id, { account: `user_${id}`, text: value });

  it.each([
    ['import', 'site', change],
    ['observe', 'users', user],
  ] as const)('has commands of %s that write rejects and read them after they were corrected', async (command, source, make) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, source));
    const write = (file: string, value: string) => writeFileSync(join(cwd, source, file), value);
    write('1.ndjson', JSON.stringify(make(1, 7)));
    write('2.ndjson', '');
    write('3.ndjson', JSON.stringify(make(3, 'not rejected')));
    const [first = [], second = []] = blocks.find(([line]) => line?.[0] === command) ?? [];
    expect(await palimpsestJson(first, { cwd })).toMatchObject({ rejected: 2 });
    // what the user does between the two commands
    const file = join(cwd, 'rejects.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"(text|description)":7/, '"$1":"corrected"'));
    write('2.ndjson', JSON.stringify(make(2, 'corrected')));
    expect(await palimpsestJson(second, { cwd })).toMatchObject({ rejected: 0 });
    const { results: records } = await palimpsestJson(['history', 'user_2'], { cwd });
    expect(records).toContainEqual(expect.objectContaining({ text: 'corrected' }));
  });
});

describe('docs/snapshots.md', () => {
  const document = read('docs/snapshots.md');

  it('lists exactly the formats, in order', () => {
    expect([...document.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual(FORMAT_NAMES);
  });

  it('has an example that can be observed', async () => {
    const input = /```json\n(.*)\n```/.exec(document)?.[1] ?? '';
    expect(await palimpsestJson(['observe', '-', '--store', join(temporaryFolder(), 'store.db')], { input })).toMatchObject({
      snapshots: 1,
    });
  });
});

describe('CONTRIBUTING.md', () => {
  it('has an example host that works', async () => {
    const folder = temporaryFolder();
    const source = (blocksOf('../CONTRIBUTING.md')('How to add', 'ts')[0] ?? '').replace(
      /'\.\.?\/(inlined-modules|host)\.ts'/g,
      (_, name: string) => {
        return `'${pathToFileURL(join(ROOT, name === 'host' ? 'src/rewrite/hosts/host.ts' : 'src/rewrite/inlined-modules.ts')).href}'`;
      },
    );
    writeFileSync(join(folder, 'example.ts'), source);
    const { host: example }: { readonly host: Host } = await import(/* @vite-ignore */ join(folder, 'example.ts'));
    const program: Program = (name) => readFileSync(join(PROGRAM, `dist/rewrite/${name}.js`), 'utf8');
    const site = { origin: 'https://example.org', domain: 'example.org', base: '/api', browse: false, hasVersions: false };
    for (const { path, text } of example.render({ ...site, program })) writeFileSync(join(folder, path), text);
    mkdirSync(join(folder, 'out/rest/data/page/2'), { recursive: true });
    const page = '{"count":4,"next":"","results":[1,2]}';
    for (const path of ['index.json', 'page/2/index.json']) writeFileSync(join(folder, 'out/rest/data', path), page);
    process.env['TREE'] = join(folder, 'out');
    const { handle }: { readonly handle: (request: Request) => Promise<Response> } = await import(
      /* @vite-ignore */ pathToFileURL(join(folder, 'main.mjs')).href
    );
    const found = await handle(new Request('https://example.org/api/rest/data/?page=2'));
    expect([found.status, await found.text()]).toEqual([200, page]);
    expect((await handle(new Request('https://example.org/api/rest/data/?page=3'))).status).toBe(404);
  });
});

describe('the release', () => {
  it('has the same version in the package and in the program', () => {
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
  });
});

describe('every page', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it('links only to pages and headings that exist', () => {
    const broken = pages
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...read(path).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)].flatMap(([link, to = '', anchor]) => {
          const target = to === '' ? path : join(dirname(path), to);
          if (!existsSync(join(ROOT, target))) return `${path}: ${link}`;
          return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : `${path}: ${link}`;
        }),
      );
    expect(broken).toEqual([]);
  });
});

describe('README.md', () => {
  const document = read('README.md');

  it('shows a whole page of the sample', async () => {
    const cwd = temporaryFolder();
    await palimpsestJson(['import', join(ROOT, 'data/sample')], { cwd });
    await palimpsestJson(['build'], { cwd });
    const page = readFileSync(join(cwd, 'out/rest/data/page/4/index.json'), 'utf8');
    expect(section(document, 'Quick start')).toContain(`?page=4'\n\`\`\`\n\n\`\`\`json\n${page}\n\`\`\``);
  });

  it('has an example record that imports', async () => {
    const input = /```json\n(.*)\n```/.exec(section(document, 'Use your own data'))?.[1] ?? '';
    await palimpsestJson(['import', '-', '--store', join(temporaryFolder(), 'store.db')], { input });
  });

  it('shows the output of history in its picture (`npx vitest run --update` draws it anew)', async () => {
    const cwd = temporaryFolder();
    await palimpsestJson(['observe', join(ROOT, 'data/sample-snapshots.ndjson')], { cwd });
    const { stdout } = await palimpsestHere(['history', 'nina_k', '--field', 'Bio'], { cwd });
    const picture = historyPicture('palimpsest history nina_k --field Bio', stdout);
    await expect(picture).toMatchFileSnapshot(join(ROOT, 'docs/history.svg'));
  });
});

const COLUMN = 8.41;
const LINE = 19;
const MARGIN = 16;

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Draws the output of `palimpsest history` as an SVG picture, with the colors of a terminal. */
function historyPicture(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')];
  const columns = Math.max(...lines.map((line) => [...line].length));
  const [width, height] = [Math.ceil(columns * COLUMN) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  let color = '';
  const rows = lines.map((line, row) => {
    const spans = line.split(/(?=\[-|\{\+)|(?<=-\]|\+\})/).map((part) => {
      if (part.startsWith('[-')) color = ' class="removed"';
      if (part.startsWith('{+')) color = ' class="added"';
      const span = part === '' ? '' : `<tspan${color}>${escapeText(part)}</tspan>`;
      if (/(-\]|\+\})$/.test(part)) color = '';
      return span;
    });
    return `<text x="${MARGIN}" y="${MARGIN + row * LINE + 14}">${spans.join('')}</text>`;
  });
  const style =
    'text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}' +
    '.removed{fill:#ff8a80}.added{fill:#7ee787}';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="The output of ${escapeText(command)}"><style>${style}</style>` +
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n${rows.join('\n')}\n</svg>\n`
  );
}
