import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { until } from '../support/until.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));

/** Serves the sample with --open and a browser program, until `isDone`. Returns what the command printed. */
async function serveWith(script: string, isDone: (opened: string, stderr: string) => boolean): Promise<{ opened: string; stderr: string }> {
  const cwd = temporaryFolder();
  const [browser, opened] = [join(cwd, 'browser'), join(cwd, 'opened')];
  writeFileSync(browser, script.replace('OPENED', opened));
  chmodSync(browser, 0o755);
  await palimpsestJson(['import', SAMPLE], { cwd });
  await palimpsestJson(['build'], { cwd });
  const read = () => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
  let stderr = '';
  // on Linux, the program that opens URLs obeys BROWSER if there is no desktop
  const ended = await palimpsest(['serve', '--port', '0', '--open'], {
    cwd,
    env: { BROWSER: browser, DISPLAY: '' },
    onStart: (server) => {
      server.stderr?.on('data', (chunk) => {
        stderr += chunk;
      });
      void until(() => isDone(read(), stderr)).finally(() => server.kill('SIGTERM'));
    },
  });
  expect(ended).toMatchObject({ code: 0, signal: null });
  return { opened: read(), stderr: ended.stderr };
}

describe.skipIf(process.platform !== 'linux')('palimpsest serve --open (on Linux)', () => {
  it('opens the feed in the browser', async () => {
    const { opened, stderr } = await serveWith('#!/bin/sh\nprintf %s "$1" > OPENED\n', (url) => url !== '');
    expect(opened).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rest\/data\/$/);
    expect(stderr).toBe('');
  });

  it('warns and keeps serving if no browser opens', async () => {
    const { stderr } = await serveWith('#!/bin/sh\nexit 1\n', (_, text) => text.includes('browser'));
    expect(stderr).toMatch(/cannot open a browser \(exit code \d+\); open http:\/\/127\.0\.0\.1:\d+\/rest\/data\/ yourself/);
  });
});
