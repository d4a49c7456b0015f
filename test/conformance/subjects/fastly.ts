import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isObject } from '../../../src/contract/json.ts';
import { host } from '../../../src/rewrite/hosts/fastly.ts';
import { inPackage, installed, releaseOf } from '../child.ts';
import type { Linted } from '../subject.ts';

const FALCO = inPackage('falco-js/bin/falco-linux-amd64');

export const fastly: Linted = {
  host,
  needs: installed('falco-js'),
  release: () => `falco ${releaseOf('falco-js')}`,
  complaints: (files) => {
    const { stdout } = spawnSync(FALCO, ['-json', join(files, 'palimpsest.vcl')], { encoding: 'utf8', timeout: 60_000 });
    const said: unknown = JSON.parse(stdout);
    if (!isObject(said) || !isObject(said['Vcl'])) return [`no VCL was read: ${stdout.slice(0, 1000)}`];
    return ['Errors', 'Warnings'].flatMap((kind) => (said[kind] === 0 ? [] : [`${kind}: ${JSON.stringify(said['LintErrors'])}`]));
  },
};
