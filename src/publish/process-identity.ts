import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Holder } from './state.ts';

/** This process, so that another on the same machine can tell whether it still lives. */
export function thisProcess(): Pick<Holder, 'machine' | 'process'> {
  return { machine: machine(), process: process.pid };
}

/** Whether a process lives; undefined where that cannot be told from here. */
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

/** A machine since it was started, seen from one container of it: only there does a process's number mean something. */
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
