import type { Option } from 'commander';
import { Failure } from '../contract/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isSwitch, OFF } from './refusals.ts';

const DRY_RUN = variableOf('dry-run');
/** Names that mean a dry run, such as `PALIMPSEST_DRYRUN` and `PALIMPSEST_RUN_DRY`, but not `PALIMPSEST_NO_DRY_RUN`. */
const MEANS_DRY_RUN = /(?<!_NO)_DRY(RUN|_|$)/;

/**
 * Warns of variables that look like options of palimpsest, but no command has them.
 * @param withoutVariable names for the options that only a command line can give
 * @param run what was called, such as `exclusions --end`; whether it has the option --dry-run, and whether it writes
 * @throws Failure usage if a variable asks for a dry run, and this run writes
 */
export async function checkVariables(
  terminal: Terminal,
  known: ReadonlySet<string>,
  withoutVariable: ReadonlySet<string>,
  run: { readonly name: string; readonly hasDryRun: boolean; readonly isWriting: boolean },
): Promise<void> {
  const { env } = terminal.io;
  const set = Object.keys(env).filter((name) => name.startsWith('PALIMPSEST_') && env[name] !== '');
  const asking = set.find((name) => MEANS_DRY_RUN.test(name) && !OFF.test(env[name] ?? ''));
  if (run.isWriting && asking !== undefined) throw run.hasDryRun ? unknownDryRun(asking) : noDryRun(asking, run.name);
  const unknown = set.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const [{ closestNames }, { OPTION_SYNONYMS }] = await Promise.all([import('../contract/closest-names.ts'), import('./synonyms.ts')]);
  const sameAs = (name: string) =>
    OPTION_SYNONYMS.map((group) => group.map((option) => variableOf(option.slice(2))))
      .find((group) => group.includes(name))
      ?.find((one) => known.has(one));
  for (const name of unknown) {
    const closest = withoutVariable.has(name) ? undefined : (sameAs(name) ?? closestNames(name, known, 1)[0]);
    const similar = closest === DRY_RUN && !run.hasDryRun ? undefined : closest;
    const reason = withoutVariable.has(name) ? 'only the command line can set this option' : 'no command has this variable';
    // the run does not do what was asked for
    terminal.alert(`${name} is ignored, because ${reason}${similar === undefined ? '' : `; did you mean ${similar}?`}`);
  }
}

function unknownDryRun(field: string): Failure {
  return new Failure('usage', `no command has the variable ${field}, so this run would be no dry run`, {
    place: { field },
    expected: DRY_RUN,
    found: field,
    hint: `for a dry run set ${DRY_RUN}, otherwise remove ${field}; nothing was changed`,
  });
}

function noDryRun(field: string, name: string): Failure {
  return new Failure('usage', `${name} has no dry run, and ${field} asks for one`, {
    place: { field },
    expected: 'a command with --dry-run',
    found: name,
    hint: `to run this command, remove ${field}; nothing was changed`,
  });
}

export function variableOf(option: string): string {
  return `PALIMPSEST_${option.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Whether commander must see the environment variable of an option. GitHub jobs set a variable without a value to an empty text,
 * and commander would use that text as the option's value. Commander also switches a flag on for any value of its variable.
 */
export function isEffective(value: string | undefined, option: Option): boolean {
  return value === undefined || (value !== '' && !(isSwitch(option) && OFF.test(value)));
}
