import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadClient } from '../../src/storage/client.ts';
import { CLIENTS } from '../../src/storage/client-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The program as it is installed somewhere else, with what it always needs and some of what it may. */
function installedWith(clients: readonly string[]): string {
  const folder = temporaryFolder();
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const name of [...Object.keys(dependencies), ...clients]) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), place);
  }
  return join(folder, 'bin/palimpsest.js');
}

describe('a client that is not installed', () => {
  it.each<[keyof typeof CLIENTS, string, readonly string[]]>([
    ['@aws-sdk/client-s3', 's3://history', []],
    ['@azure/storage-blob', 'az://history', []],
    ['@azure/identity', 'az://history', ['@azure/storage-blob']],
  ])('%s is asked for by its name and release, for %s', async (name, address, installed) => {
    const env = { AZURE_STORAGE_CONNECTION_STRING: '', AZURE_STORAGE_ACCOUNT: 'somebody', AZURE_STORAGE_KEY: '' };
    const { code, stdout } = await palimpsest(['publish', address, '--json'], { env, program: installedWith(installed) });
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'no-client', message: expect.stringContaining(name) });
    expect(error.hint).toContain(`npm install ${name}@${CLIENTS[name]} `);
    expect(code).toBe(1);
  });
});

it('is what was loaded, and what goes wrong with one that is installed is not hidden', async () => {
  expect(await loadClient('@azure/identity', async () => 'a client')).toBe('a client');
  const fault = new Error('broken');
  await expect(loadClient('@azure/identity', () => Promise.reject(fault))).rejects.toBe(fault);
});
