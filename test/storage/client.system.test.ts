import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS, loadClient } from '../../src/storage/client.ts';
import { PROGRAM, palimpsest } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const folder = folderOfFile();

/** Installs the program in another folder, with its required dependencies. */
beforeAll(() => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(PROGRAM, part), join(folder, part), { recursive: true, dereference: true });
  for (const name of Object.keys(dependencies)) install(name);
});

function install(name: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  if (!existsSync(place)) symlinkSync(join(ROOT, 'node_modules', name), place);
}

describe('a missing client package', () => {
  it.each<[keyof typeof CLIENTS, string, readonly string[]]>([
    ['@aws-sdk/client-s3', 's3://history', []],
    ['@azure/storage-blob', 'az://history', []],
    ['@azure/identity', 'az://history', ['@azure/storage-blob']],
  ])('%s is named in the error with its release, for %s', async (name, address, installed) => {
    for (const client of installed) install(client);
    const env = { AZURE_STORAGE_CONNECTION_STRING: '', AZURE_STORAGE_ACCOUNT: 'somebody', AZURE_STORAGE_KEY: '' };
    const { code, stdout } = await palimpsest(['publish', address, '--json'], { env, program: join(folder, 'bin/palimpsest.js') });
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'no-client', message: expect.stringContaining(name) });
    expect(error.hint).toContain(`npm install ${name}@${CLIENTS[name]} `);
    expect(code).toBe(1);
  });
});

it('returns the loaded client, and does not hide errors of an installed client', async () => {
  expect(await loadClient('@azure/identity', async () => 'a client')).toBe('a client');
  const fault = new Error('broken');
  await expect(loadClient('@azure/identity', () => Promise.reject(fault))).rejects.toBe(fault);
});
