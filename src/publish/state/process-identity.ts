import { isRunning, machineId } from '../../contract/process.ts';
import type { Holder } from './state.ts';

/** Identifies this process, so that another process on the same machine can check whether it is alive. */
export function thisProcess(): Pick<Holder, 'machine' | 'process'> {
  return { machine: machineId(), process: process.pid };
}

/** Returns whether a process is alive; undefined if this machine cannot check it. */
export function isAlive(holder: Holder): boolean | undefined {
  return holder.machine === machineId() ? isRunning(holder.process) : undefined;
}
