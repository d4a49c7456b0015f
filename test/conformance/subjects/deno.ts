import { host } from '../../../src/rewrite/hosts/deno.ts';
import { inPackage, installed, releaseFrom } from '../child.ts';
import { startRuntime } from '../runtime.ts';
import type { Subject } from '../subject.ts';

export const deno: Subject = {
  host,
  needs: installed('deno'),
  release: () => releaseFrom(inPackage('.bin/deno'), ['--version'], /deno ([\d.]+)/),
  start: (trial) => startRuntime(trial, host.steps, { HOST: '127.0.0.1', DENO_DIR: trial.work, DENO_NO_UPDATE_CHECK: '1' }),
};
