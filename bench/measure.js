// Runs processes, measures them, and prints the figures as rows of a table.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

const HAS_TIME = existsSync('/usr/bin/time');
/** The `time` of bash has milliseconds; /usr/bin/time has the peak of the memory. */
const MEASURE = `TIMEFORMAT='%3U %3S'; time /usr/bin/time -f %M "$@"`;

/**
 * Creates a folder for the files of a benchmark, and deletes it when the process ends.
 * @param parent by default a folder in memory, if the machine has one
 */
export function workFolder(parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()) {
  const folder = mkdtempSync(join(parent, 'palimpsest-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  return folder;
}

/**
 * Runs a process. Returns the elapsed seconds and the output. If /usr/bin/time is installed, also returns the seconds of
 * processor time (user and system) and the peak of the memory in MB.
 */
export function timed(command, args) {
  const [program, all] = HAS_TIME ? ['bash', ['-c', MEASURE, 'bash', command, ...args]] : [command, args];
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(program, all, { encoding: 'utf8', maxBuffer: 1 << 26 });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  if (!HAS_TIME) return { seconds, stdout };
  const [kilobytes, user, system] = stderr.trim().split(/\s+/).slice(-3).map(Number);
  return { seconds, processor: user + system, megabytes: Math.round(kilobytes / 1024), stdout };
}

/** Returns the results of several runs. `prepare` runs before each and is not measured. */
export function repeated(runs, run, prepare = () => {}) {
  return Array.from({ length: runs }, () => {
    prepare();
    return run();
  });
}

/**
 * Runs several commands in rounds: each round runs every command once. Every second round is in reverse order, so that a machine that
 * becomes slower during the run slows all commands equally. The first round is a warm-up and does not count.
 * @returns the results of each command
 */
export function inRounds(runs, ...commands) {
  const results = commands.map(() => []);
  for (let round = 0; round <= runs; round += 1) {
    const order = round % 2 === 0 ? [...commands.keys()] : [...commands.keys()].reverse();
    for (const index of order) {
      const result = commands[index]();
      if (round > 0) results[index].push(result);
    }
  }
  return results;
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Returns the ratios of a figure (`seconds` or `processor`) in each pair. Empty if the figure was not measured. */
export function ratios(results, others, figure) {
  return results.flatMap((result, index) => (result[figure] === undefined ? [] : [result[figure] / others[index][figure]]));
}

/** Formats numbers as their median and range, for example `1.37 (1.35 to 1.38)`. */
export function spread(numbers) {
  const [middle, least, most] = [median(numbers), Math.min(...numbers), Math.max(...numbers)].map((number) => number.toFixed(2));
  return numbers.length === 1 ? middle : `${middle} (${least} to ${most})`;
}

const LABEL = 38;
const COLUMNS = [27, 12, 11];

function line(label, columns, note) {
  return `  ${label.padEnd(LABEL)}${columns.map((column, index) => column.padEnd(COLUMNS[index])).join('')}${note}`.trimEnd();
}

/** Prints a title and the names of the columns of the rows below it. */
export function heading(title) {
  console.log(`\n${title}`);
  console.log(line('', ['seconds: median (range)', 'processor', 'memory'], ''));
}

/** Prints the figures of runs: the median and range of elapsed time, the median of processor time, the largest peak of memory. */
export function row(label, results, note = '') {
  const [{ processor, megabytes }] = results;
  const columns = [
    spread(results.map((result) => result.seconds)),
    processor === undefined ? '' : `${median(results.map((result) => result.processor)).toFixed(2)} s`,
    megabytes === undefined ? '' : `${Math.max(...results.map((result) => result.megabytes))} MB`,
  ];
  console.log(line(label, columns, note));
}

/** Describes the machine in one line. */
export function machine() {
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}
