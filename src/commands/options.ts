import { type Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import { schemeOf } from '../contract/url.ts';
import type { ProcessIO } from '../terminal.ts';

export type Program = Command;

export const DEFAULT_STORE = 'data/palimpsest.db';
export const DEFAULT_OUT = 'out';

/** What the two options that every command has do. */
export const JSON_HELP = 'print one JSON object instead of text';
export const QUIET_HELP = 'print nothing but errors';

/**
 * A path: an empty one, which a shell makes of an unset variable, would be the folder that one happens to stand in,
 * and a URL would become a folder named `https:`.
 */
export function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a path.');
  return noUrl(text);
}

/** The paths of an argument that takes several. */
export function paths(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), noUrl(text)];
}

function noUrl(text: string): string {
  const scheme = schemeOf(text);
  if (scheme === undefined) return text;
  throw new InvalidArgumentError(`Expected a path on this machine, not a URL. A folder of that name is written ./${scheme}:/`);
}

/** An option as it has to be given again in the next command: nothing where it has its standard value. */
export function again(option: string, value: string, standard: string): string {
  return value === standard ? '' : ` ${option} ${value}`;
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/**
 * Reads an empty variable as none, which is what jobs at GitHub make of one that is not set, and lets a switch be
 * off: commander takes it for on whatever its variable says, and would read an empty text as the option's value.
 */
export function applyEnv(command: CommandUnknownOpts, env: ProcessIO['env']): void {
  for (const nested of command.commands) applyEnv(nested, env);
  for (const option of command.options) {
    if (option.envVar === undefined) continue;
    const value = env[option.envVar];
    if (value === undefined) continue;
    if (value === '' || (option.isBoolean() && !isOn(value))) delete option.envVar;
  }
  for (const subcommand of command.commands) applyEnv(subcommand, env);
}

/** Whether the variable of a switch is on. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !/^(0|no|off|false)$/i.test(value);
}

/** Examples for the end of a command's help, each with what it does. */
export function examples(...lines: readonly (readonly [command: string, effect: string])[]): string {
  return `\nExamples:\n${lines.map(([command, effect]) => `  $ ${command}\n      ${effect}`).join('\n')}`;
}
