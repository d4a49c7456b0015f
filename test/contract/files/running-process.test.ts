import { expect, it, vi } from 'vitest';
import { isRunning } from '../../../src/contract/files/running-process.ts';

it.each([
  ['EPERM', true],
  ['ESRCH', false],
])('a process that cannot be signalled because of %s runs: %s', (code, runs) => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(isRunning(12)).toBe(runs);
  kill.mockRestore();
});
