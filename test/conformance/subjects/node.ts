import { host } from '../../../src/rewrite/hosts/node.ts';
import { startRuntime } from '../runtime.ts';
import type { Subject } from '../subject.ts';

export const node: Subject = {
  host,
  needs: { skip: false, reason: '' },
  release: () => process.versions.node,
  start: (trial) => startRuntime(trial, host.steps, {}),
};
