// npm run bench:cores [-- --snapshots 40000] [-- --runs 5] [-- --folder /dev/shm]
//
// Measures how much faster `observe` is with two threads on this machine, and how much faster it could be. Almost all snapshots have
// a change. Each round runs:
// - one process with one thread
// - two processes with one thread each at the same time, each with its own input of the same size
// - one process with two threads
// Prints elapsed times and two ratios:
// - limit: 2 × the time of one process / the time of both processes. It is 2 if the cores do not slow each other down. It is an
//   estimate, because one process already uses the second core a little.
// - speed: the time with one thread / the time with two threads
// Other programs change both ratios: run it on an idle machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { heading, machine, ratios, row, spread, workFolder } from './measure.js';

const { values } = parseArgs({
  options: {
    snapshots: { type: 'string', default: '40000' },
    runs: { type: 'string', default: '5' },
    folder: { type: 'string' },
  },
});
const ACCOUNTS = 1200;
const BIN = fileURLToPath(new URL('../bin/palimpsest.js', import.meta.url));
const GENERATOR = fileURLToPath(new URL('./changing-profiles.js', import.meta.url));
const work = workFolder(values.folder);

const INPUTS = [1, 2].map((number) => join(work, `${number}.ndjson`));

async function generate(file) {
  const child = spawn(process.execPath, [GENERATOR, values.snapshots, String(ACCOUNTS)]);
  const exit = once(child, 'exit');
  await once(child.stdout.pipe(createWriteStream(file)), 'finish');
  if ((await exit)[0] !== 0) throw new Error('the generator failed');
}

/** Observes each input in a process of its own, all at the same time. Returns the elapsed seconds. */
async function observe(inputs, jobs) {
  const started = performance.now();
  const children = inputs.map((input) => {
    const args = ['observe', input, '--store', `${input}.db`, '--jobs', String(jobs), '--json'];
    return spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  const seconds = (performance.now() - started) / 1000;
  if (codes.some((code) => code !== 0)) throw new Error('observe failed');
  for (const input of inputs) rmSync(`${input}.db`);
  return { seconds };
}

const COMMANDS = [() => observe(INPUTS.slice(0, 1), 1), () => observe(INPUTS, 1), () => observe(INPUTS.slice(0, 1), 2)];

console.log(`${machine()}, load ${loadavg()[0].toFixed(1)}`);
for (const input of INPUTS) await generate(input);
const results = COMMANDS.map(() => []);
// the first round is a warm-up; each round begins with the next command
for (let round = 0; round <= Number(values.runs); round += 1) {
  for (let turn = 0; turn < COMMANDS.length; turn += 1) {
    const index = (round + turn) % COMMANDS.length;
    const result = await COMMANDS[index]();
    if (round > 0) results[index].push(result);
  }
}
const [one, twoProcesses, twoThreads] = results;
heading(`observe ${Number(values.snapshots).toLocaleString('en-US')} snapshots, almost all with a change`);
row('one process, one thread', one);
const limits = ratios(one, twoProcesses, 'seconds').map((ratio) => 2 * ratio);
row('two processes at the same time', twoProcesses, `limit: ${spread(limits)} × the speed of one process`);
row('one process, two threads', twoThreads, `speed: ${spread(ratios(one, twoThreads, 'seconds'))} × the speed of one thread`);
