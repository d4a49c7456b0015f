import { host } from '../../../src/rewrite/hosts/bun.ts';
import { inPackage, installed, releaseFrom } from '../child.ts';
import { startRuntime } from '../runtime.ts';
import type { Subject } from '../subject.ts';

export const bun: Subject = {
  host,
  needs: installed('bun'),
  release: () => releaseFrom(inPackage('.bin/bun'), ['--version'], /([\d.]+)/),
  start: (trial) => startRuntime(trial, host.steps, { HOST: '127.0.0.1', DO_NOT_TRACK: '1' }),
};
