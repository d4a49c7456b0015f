import type { Command } from 'commander';
import { type SuggestedCommand, shellWord } from '../contract/hint.ts';

/** The options that a suggested command takes over from the command that runs. */
const IN_FORCE = new Set(['--store', '--out', '--base-url', '--prefix', '--endpoint', '--region']);

/**
 * Returns a suggested command as a line for a shell, with the options and arguments that are in force.
 * @param invocation starts this program
 * @param running the command that runs; undefined if wrong usage was found before
 * @param env the variables that the suggested command reads, too
 */
export function renderSuggested(
  program: Command,
  running: Command | undefined,
  invocation: string,
  { command, options, args }: SuggestedCommand,
  env: NodeJS.ProcessEnv,
): string {
  const names = command.split(' ').filter((name) => name !== '');
  const target = names.reduce<Command | undefined>((group, name) => group?.commands.find((one) => one.name() === name), program);
  if (target === undefined) throw new Error(`there is no command ${command}`);
  const words = target.registeredArguments.flatMap((argument, index) => {
    if (argument.variadic && args.length > index) return args.slice(index);
    const same = running?.registeredArguments.findIndex((one) => one.name() === argument.name() && argument.required) ?? -1;
    return args[index] ?? (same === -1 ? undefined : running?.args[same]) ?? [];
  });
  const flags = target.options.flatMap(({ long, defaultValue, envVar }) => {
    if (long === undefined) return [];
    const value = options[long] ?? inForce(running, long);
    // a variable would replace a default that is left out
    const isDefault = value === defaultValue && (envVar === undefined || env[envVar] === undefined);
    if (value === undefined || value === false || isDefault) return [];
    if (value === true) return [long];
    return [value].flat().flatMap((one) => [long, String(one)]);
  });
  const help = options['--help'] === undefined ? [] : ['--help'];
  return [invocation, ...[...names, ...(help.length > 0 ? help : [...words, ...flags])].map(shellWord)].join(' ');
}

/** Returns the value of an option of the command that runs, unless nobody gave it. */
function inForce(running: Command | undefined, long: string): string | undefined {
  const option = IN_FORCE.has(long) ? running?.options.find((one) => one.long === long) : undefined;
  const value: unknown = option === undefined ? undefined : running?.getOptionValue(option.attributeName());
  const isGiven = option !== undefined && running?.getOptionValueSource(option.attributeName()) !== 'default';
  return typeof value === 'string' && isGiven ? value : undefined;
}
