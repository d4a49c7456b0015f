import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Holder } from './state.ts';

/** Identifies this process, so that another process on the same machine can check whether it is alive. */
export function thisProcess(): Pick<Holder, 'machine' | 'process'> {
  return { machine: machine(), process: process.pid };
}

/** Returns whether a process is alive; undefined if this machine cannot check it. */
export function isAlive(holder: Holder): boolean | undefined {
  if (holder.machine !== machine()) return undefined;
  try {
    process.kill(holder.process, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

let known: string | undefined;

/** Identifies a machine, its current boot and the container: a process id has a meaning only within these. */
function machine(): string {
  known ??= hash('sha256', [hostname(), ...linuxFacts()].join('\n')).slice(0, 32);
  return known;
}

function linuxFacts(): string[] {
  try {
    return [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid')];
  } catch {
    return [];
  }
}
