import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsest } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';
import { section } from './blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('README.md', () => {
  const document = read('README.md');
  const lines = [...section(document, 'Use your own data').matchAll(/^npx palimpsest ([^#\n]+)/gm)].map((match) =>
    (match[1] ?? '').trim().split(/\s+/),
  );

  it('has commands that work in sequence', async () => {
    const folder = temporaryFolder();
    for (const sample of ['data/sample', 'data/sample-snapshots.ndjson'])
      await cp(join(ROOT, sample), join(folder, sample), { recursive: true });
    expect(lines.map((line) => line[0])).toEqual(['import', 'build', 'verify', 'serve', 'observe', 'history']);
    const [serving, ...ending] = lines.toSorted((a, b) => Number(b[0] === 'serve') - Number(a[0] === 'serve'));
    for (const line of ending) expect(await palimpsest(line, { cwd: folder }), line.join(' ')).toMatchObject({ code: 0 });
    const served = spawn(process.execPath, [BIN, ...(serving ?? []), '--port', '0', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const line = await firstLine(served.stdout);
      const page = await fetch(`${JSON.parse(line).url}/rest/data/?page=2`);
      expect(await page.json()).toMatchObject({ count: 302 });
    } finally {
      served.kill('SIGTERM');
    }
    expect(await new Promise((resolve) => served.once('exit', resolve))).toBe(143);
  });
});

describe('docs/tutorial.md', () => {
  it('has commands that work one after another', async () => {
    const folder = temporaryFolder();
    await cp(join(ROOT, 'data/sample'), join(folder, 'data/sample'), { recursive: true });
    const blocks = [...read('docs/tutorial.md').matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
    // a server does not end, and the packages are installed
    const script = blocks.filter((block) => !/^(npm ci|npx palimpsest serve|curl )/.test(block)).join('');
    expect(script.match(/^npx palimpsest \w+/gm)).toEqual(
      ['import', 'build', 'verify', 'observe', 'history', 'build', 'verify'].map((command) => `npx palimpsest ${command}`),
    );
    const commands = script.replaceAll('npx palimpsest', `"${process.execPath}" "${BIN}"`);
    const { stdout, stderr, status } = await shell(commands, folder);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('{+ and tunnels+}');
  });
});

async function firstLine(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const piece of stream) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return text;
}
