import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../failure.ts';

let known: string | undefined;

/** Identifies a machine, its current boot and the container: a process id has a meaning only within these. */
export function machineId(): string {
  known ??= hash('sha256', [hostname(), ...linuxFacts()].join('\n')).slice(0, 32);
  return known;
}

export function isRunning(process_id: number): boolean {
  try {
    process.kill(process_id, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function linuxFacts(): string[] {
  try {
    return [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid')];
  } catch {
    return [];
  }
}
