// Compares this checkout with another revision: runs the same work with both, in pairs.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heading, inRounds, ratios, row, spread, timed } from './measure.js';

const REQUESTS = 100;
const REQUESTER = fileURLToPath(new URL('./requests.js', import.meta.url));
const BASE_URL = 'https://history.example';

/** One of the two revisions, with a folder for its stores and trees. */
class Revision {
  constructor({ name, program }, folder) {
    this.name = name;
    this.program = program;
    this.store = join(folder, 'store.db');
    this.grown = join(folder, 'grown.db');
    this.fresh = join(folder, 'fresh.db');
    this.tree = join(folder, 'tree');
    this.out = join(folder, 'out');
    this.target = join(folder, 'target');
  }

  run(...args) {
    return timed(process.execPath, [this.program, ...args, '--json']);
  }

  build(store, out) {
    return this.run('build', '--store', store, '--out', out, '--base-url', BASE_URL);
  }

  publish() {
    return this.run('publish', this.target, '--out', this.tree);
  }
}

/** The works to compare. `prepare` runs before each run of `work` and is not measured. */
const WORKS = [
  {
    label: 'import',
    prepare: (it) => rmSync(it.fresh, { force: true }),
    work: (it, { ndjson }) => it.run('import', ndjson, '--store', it.fresh),
  },
  { label: 'import of the same records again', work: (it, { ndjson }) => it.run('import', ndjson, '--store', it.store) },
  { label: 'build into an empty folder', prepare: (it) => remove(it.out), work: (it) => it.build(it.store, it.out) },
  { label: 'build with nothing changed', work: (it) => it.build(it.store, it.tree) },
  {
    label: 'build with one record more',
    prepare: (it) => {
      remove(it.out);
      // with the times of the files: a build that follows another one at once must set the times of all files
      cpSync(it.tree, it.out, { recursive: true, preserveTimestamps: true });
    },
    work: (it) => it.build(it.grown, it.out),
  },
  { label: 'verify with the store', work: (it) => it.run('verify', '--out', it.tree, '--store', it.store) },
  {
    label: `serve, ${REQUESTS.toLocaleString('en-US')} requests`,
    work: (it) => timed(process.execPath, [REQUESTER, it.program, it.tree, String(REQUESTS)]),
  },
  { label: 'publish to an empty folder', prepare: (it) => remove(it.target), work: (it) => it.publish() },
  { label: 'publish with nothing changed', work: (it) => it.publish() },
];

function remove(folder) {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Prints the figures of both revisions for each work, and the ratios new/old of each pair.
 * @param other the name and the program of the other revision
 * @param inputs files of records: `ndjson`, and `one` with one record more
 */
export function compare(current, other, inputs, folder, runs) {
  const [older, newer] = [other, current].map((revision, index) => new Revision(revision, join(folder, index === 0 ? 'older' : 'newer')));
  for (const it of [older, newer]) {
    it.run('import', inputs.ndjson, '--store', it.store);
    it.build(it.store, it.tree);
    cpSync(it.store, it.grown);
    it.run('import', inputs.one, '--store', it.grown);
  }
  heading(`${newer.name} and ${older.name}, ${runs} pairs`);
  for (const { label, prepare = () => {}, work } of WORKS) {
    const start = (it) => () => {
      prepare(it);
      return work(it, inputs);
    };
    try {
      const [was, is] = inRounds(runs, start(older), start(newer));
      console.log(`  ${label}`);
      row(`  ${older.name}`, was);
      row(`  ${newer.name}`, is, ratioNote(is, was));
    } catch (error) {
      // an older revision may not have a command or an option
      console.log(`  ${label}: not compared. ${error.message.trim()}`);
    }
  }
}

function ratioNote(is, was) {
  const elapsed = `new/old ${spread(ratios(is, was, 'seconds'))}`;
  const processor = ratios(is, was, 'processor');
  return processor.length === 0 ? elapsed : `${elapsed}, processor ${spread(processor)}`;
}
