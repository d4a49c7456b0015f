import { expect, it } from 'vitest';
import { CLIENTS, loadClient } from '../../src/storage/client-library.ts';

it.each(Object.entries(CLIENTS))('a missing package %s is named in the error with its release', async (name, release) => {
  const missing = Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadClient(name as keyof typeof CLIENTS, () => Promise.reject(missing))).rejects.toMatchObject({
    code: 'no-client',
    message: expect.stringContaining(name),
    hint: expect.stringContaining(`npm install ${name}@${release} `),
  });
});

it('returns the loaded client, and does not hide errors of an installed client', async () => {
  expect(await loadClient('@azure/identity', async () => 'a client')).toBe('a client');
  const fault = new Error('broken');
  await expect(loadClient('@azure/identity', () => Promise.reject(fault))).rejects.toBe(fault);
});
