// Measures each step at three sizes, a factor of ten apart, and shows how it grows: as a table, and as a plot for the docs.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COLORS = ['#0b6e4f', '#b3541e', '#2b59c3', '#8f2d56', '#5b5f97', '#6f6f00', '#007c91'];
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [760, 380, 60, 20, 210, 40];

/**
 * Runs every step at each size, once.
 * @param sizes numbers of records
 * @param steps for a size, the steps in turn: each has a name and a function that measures one process
 * @param folder everything that the steps write
 * @returns for each size, the result of each step by its name, and the most bytes that were in the folder after a step
 */
export async function measureGrowth(sizes, steps, folder) {
  const runs = [];
  for (const size of sizes) {
    const run = { size, results: new Map(), bytes: 0 };
    for (const [name, measure] of steps(size)) {
      const result = await measure();
      if (result !== undefined) run.results.set(name, result);
      run.bytes = Math.max(run.bytes, bytesIn(folder));
    }
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    runs.push(run);
  }
  return runs;
}

function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Returns a table in Markdown: seconds and peak memory of each step at each size, and how much longer ten times the records take. */
export function growthTable(runs) {
  const lines = [
    ['step', ...runs.map(({ size }) => `${size.toLocaleString('en-US')} records`), 'time for 10 × the records'],
    ['---', ...runs.map(() => '---'), '---'],
  ];
  for (const name of runs[0].results.keys()) {
    const results = runs.map((run) => run.results.get(name));
    const cells = results.map(({ seconds, megabytes }) => `${figure(seconds)} s${megabytes === undefined ? '' : `, ${megabytes} MB`}`);
    const factors = results.slice(1).map(({ seconds }, index) => `× ${figure(seconds / results[index].seconds)}`);
    lines.push([name, ...cells, factors.join(', ')]);
  }
  lines.push(['peak disk usage', ...runs.map(({ bytes }) => `${(bytes / 1e9).toFixed(2)} GB`), '']);
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function figure(value) {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

/** Writes a plot as SVG: seconds by records, both axes logarithmic. */
export function writeGrowthPlot(file, runs) {
  const names = [...runs[0].results.keys()];
  const seconds = runs.flatMap(({ results }) => [...results.values()].map((result) => result.seconds));
  const [from, to] = [Math.floor(Math.log10(Math.min(...seconds))), Math.ceil(Math.log10(Math.max(...seconds)))];
  const sizes = runs.map(({ size }) => Math.log10(size));
  const x = (log) => round(LEFT + ((log - sizes[0]) / (sizes.at(-1) - sizes[0])) * (WIDTH - LEFT - RIGHT));
  const y = (log) => round(HEIGHT - BOTTOM - ((log - from) / (to - from)) * (HEIGHT - TOP - BOTTOM));
  const text = (left, top, words, more = '') => `<text x="${left}" y="${top}"${more}>${words}</text>`;
  const path = (points, more) => `<polyline fill="none" points="${points.map((point) => point.join(',')).join(' ')}" ${more}/>`;
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  // one label for each line; lines that end close together get labels one below the other
  const ends = names.map((name) => y(Math.log10(runs.at(-1).results.get(name).seconds)));
  const order = [...names.keys()].sort((a, b) => ends[a] - ends[b]);
  let last = Number.NEGATIVE_INFINITY;
  const labels = order.map((index) => {
    last = Math.max(ends[index] + 4, last + 15);
    return text(WIDTH - RIGHT + 10, last, names[index], ` fill="${COLORS[index % COLORS.length]}"`);
  });
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Seconds of each step by the number of records, both axes logarithmic">`,
    '<style>text{font:13px sans-serif}</style><rect width="100%" height="100%" fill="#fff"/>',
    ...ticks.map(
      (tick) =>
        path(
          [
            [LEFT, y(tick)],
            [WIDTH - RIGHT, y(tick)],
          ],
          'stroke="#ddd"',
        ) + text(LEFT - 8, y(tick) + 4, `${10 ** tick} s`, ' text-anchor="end"'),
    ),
    ...runs.map(({ size }, index) =>
      text(
        x(sizes[index]),
        HEIGHT - BOTTOM + 20,
        `${size.toLocaleString('en-US')} records`,
        ` text-anchor="${['start', 'middle', 'end'][index]}"`,
      ),
    ),
    ...names.map((name, index) =>
      path(
        runs.map(({ results }, at) => [x(sizes[at]), y(Math.log10(results.get(name).seconds))]),
        `stroke="${COLORS[index % COLORS.length]}" stroke-width="2"`,
      ),
    ),
    ...labels,
    '</svg>',
  ];
  writeFileSync(file, `${parts.join('\n')}\n`);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
