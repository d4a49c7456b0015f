// Runs a program of this folder that writes generated data.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** Writes the output of a program of this folder to a file. */
export async function generated(file, program, items, accounts) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), String(items), String(accounts)]);
  const [[status]] = await Promise.all([once(child, 'close'), pipeline(child.stdout, createWriteStream(file))]);
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
}
