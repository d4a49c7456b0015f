import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './machine.ts';

export const page = readFileSync(new URL('../../docs/nightly.md', import.meta.url), 'utf8');

/** The code blocks of one language below a heading of docs/nightly.md, in their order. */
export const blocks = blocksOf('nightly.md');

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

/** How a command or a job ended. */
export interface Ended {
  /** The command that failed first, or 'all done'. */
  readonly ended: string;
  readonly status: number | null;
  readonly stderr: string;
}

export const DONE: Ended = { ended: 'all done', status: 0, stderr: '' };

interface Night {
  readonly steps?: readonly Step[];
  readonly env?: Readonly<Record<string, string>>;
  /** Programs of the machine, besides those that each has. */
  readonly programs?: Readonly<Record<string, string>>;
}

/**
 * Runs the steps of one night on a new machine, in a new folder, as GitHub Actions does: after a failure only the steps whose
 * condition is true. Instead of the script of the page, a script with these snapshots fetches them.
 */
export async function night(work: string, name: string, snapshots: readonly unknown[], options: Night = {}): Promise<Ended> {
  const { steps = STEPS, env = {}, programs = {} } = options;
  const cwd = join(work, name);
  mkdirSync(cwd);
  const lines = snapshots.map((one) => JSON.stringify(one)).join('\n');
  const script = `#!/bin/sh\nmkdir -p "$1"\ncat > "$1/tonight.ndjson" <<'END'\n${lines}\nEND\n`;
  writeFileSync(join(cwd, 'fetch-snapshots.sh'), script, { mode: 0o755 });
  const run = { GITHUB_RUN_ID: name, GITHUB_RUN_ATTEMPT: '1', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') };
  const all = { ...JOB_ENV, ...env, ...run, PATH: machine(work, programs) };
  const firstNight = name === 'first' ? 'true' : '';
  const commands = steps.map(({ command, condition, env: own }, index) => {
    const values = Object.entries(own).map(([key, value]) => [key, value.replace(/^\$\{\{ inputs\.first_night \}\}$/, firstNight)]);
    const set = values.map(([key, value = '']) => `${key}=${quoted(value)} `).join('');
    return `if ${testFor(condition)}; then ${set}bash -e -c ${quoted(command)} 2> "$ENDED.now" || fail ${index} $?; fi\n`;
  });
  const ended = `${cwd}.ended`;
  await shell(`set +e\n${FAIL}${commands.join('')}`, cwd, { ...all, ENDED: ended });
  if (!existsSync(ended)) return DONE;
  const [step, status] = readFileSync(ended, 'utf8').split(' ').map(Number);
  return { ended: steps[step ?? 0]?.command ?? '', status: status ?? null, stderr: readFileSync(`${ended}.errors`, 'utf8') };
}

/** Notes the first step that fails, in shell. */
const FAIL = 'fail() { [ -e "$ENDED" ] || { echo "$1 $2" > "$ENDED"; cp "$ENDED.now" "$ENDED.errors"; }; }\n';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the condition of a step, in shell. */
function testFor(condition: string | undefined): string {
  if (condition === undefined) return '[ ! -e "$ENDED" ]';
  if (condition === 'failure() || cancelled()') return '[ -e "$ENDED" ]';
  const file = /^always\(\) && hashFiles\('([^']+)'\) != ''$/.exec(condition)?.[1];
  if (file === undefined) throw new Error(`the tests do not know the condition ${condition}`);
  return `[ -e ${quoted(file)} ]`;
}

/** What a night observes of an account. */
export const snapshot = (id: number, day: number) => ({
  observed_at: `2020-01-0${day}T00:00:00Z`,
  id: String(id),
  screen_name: `somebody_${id}`,
  bio: `as of day ${day}`,
});
