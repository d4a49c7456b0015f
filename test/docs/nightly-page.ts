import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';

const document = readFileSync(fileURLToPath(new URL('../../docs/nightly.md', import.meta.url)), 'utf8');

/** The code blocks of one language below a heading of docs/nightly.md, in their order. */
export const blocks = blocksOf('nightly.md');

/** The cells of a table's column below a heading, without the head. */
export const tableCommands = (heading: string): readonly string[] => {
  const start = document.indexOf(`\n## ${heading}\n`);
  return [...document.slice(start, document.indexOf('\n## ', start + 4)).matchAll(/^\| [^|]* \| `(palimpsest [^`]*)` \|/gm)].map(
    ([, command = '']) => command,
  );
};

/** A step of the workflow that runs a command. */
export interface Step {
  readonly command: string;
  /** The expression after `if:`. */
  readonly condition: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

const [workflow = ''] = blocks('The workflow', 'yaml');

/** The steps in lines of a job that run commands, except the installation of palimpsest. */
export function stepsIn(lines: string): readonly Step[] {
  return lines.split(/^ {6}- /m).flatMap((text) => {
    const command = /^ *run: (.*)$/m.exec(text)?.[1];
    if (command === undefined || command === 'npm ci') return [];
    const env = [...(/^ *env: \{ (.*) \}/m.exec(text)?.[1]?.matchAll(/([A-Z_]+): '([^']*)'/g) ?? [])];
    return [
      {
        command,
        condition: /^ *if: (.*)$/m.exec(text)?.[1],
        env: Object.fromEntries(env.map(([, name = '', value = '']) => [name, value])),
      },
    ];
  });
}

/** The steps of the job. */
export const STEPS: readonly Step[] = stepsIn(workflow.slice(workflow.indexOf('    steps:\n')));

/** The variables in the lines of an `env` of a job. */
export function variables(lines: string): Record<string, string> {
  return Object.fromEntries(
    [...lines.matchAll(/^ {6}([A-Z_]+): ([^#\n]*?) *(?:#.*)?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** The environment of the job in the workflow. */
export const JOB_ENV: Readonly<Record<string, string>> = variables(workflow.slice(0, workflow.indexOf('    steps:\n')));

/** Writes programs that stand for those of the machine on which a job runs, into a folder for PATH. */
export function machine(folder: string, programs: Readonly<Record<string, string>> = {}): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const npx = `shift\nexec "${process.execPath}" "${BIN}" "$@"`;
  const gh = `echo "$@" >> "${join(folder, 'issues.txt')}"`;
  for (const [name, text] of Object.entries({ npx, gh, sleep: 'exit 0', ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return bin;
}

/** How a command or a job ended. */
export interface Ended {
  /** The command that failed first, or 'all done'. */
  readonly ended: string;
  readonly status: number | null;
  readonly stderr: string;
}

export const DONE: Ended = { ended: 'all done', status: 0, stderr: '' };

export interface Job {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The value of `inputs.first_night`. */
  readonly firstNight?: boolean;
  readonly steps?: readonly Step[];
}

/** Runs the steps of the workflow as GitHub Actions does: after a failure only the steps whose condition is true. */
export async function runJob({ cwd, env, firstNight = false, steps = STEPS }: Job): Promise<Ended> {
  let result = DONE;
  for (const { command, condition, env: own } of steps) {
    if (!isTrue(condition, result !== DONE, cwd)) continue;
    const values = Object.entries(own).map(([name, value]) => [
      name,
      /^\$\{\{ inputs\.first_night \}\}$/.test(value) ? (firstNight ? 'true' : '') : value,
    ]);
    const { status, stderr } = await shell(command, cwd, { ...env, ...Object.fromEntries(values) });
    if (status !== 0 && result === DONE) result = { ended: command, status, stderr };
  }
  return result;
}

function isTrue(condition: string | undefined, hasFailed: boolean, cwd: string): boolean {
  if (condition === undefined) return !hasFailed;
  if (condition === 'failure() || cancelled()') return hasFailed;
  const file = /^always\(\) && hashFiles\('([^']+)'\) != ''$/.exec(condition)?.[1];
  if (file === undefined) throw new Error(`the tests do not know the condition ${condition}`);
  return existsSync(join(cwd, file));
}
