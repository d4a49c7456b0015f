import { type Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import { type Instant, parseInstant } from '../contract/instant.ts';
import { schemeOf } from '../contract/url.ts';
import type { ProcessIO } from '../terminal/process-io.ts';

export type Program = Command;

export const DEFAULT_STORE = 'data/palimpsest.db';
export const DEFAULT_OUT = 'out';
/** Where serve listens. */
export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8080;
/** The base URL of a new tree: with it, the links of the pages lead to serve. */
export const DEFAULT_BASE_URL: string = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;

/** The help texts of the two options that every command has. */
export const JSON_HELP = 'print one JSON object instead of text';
export const QUIET_HELP = 'print only errors and important warnings';

/**
 * Parses a path. Rejects an empty text, which a shell makes from an unset variable: it would mean the current folder.
 * Rejects a URL, because it would become a folder named `https:`.
 */
export function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a path.');
  return notUrl(text);
}

function notUrl(text: string): string {
  const scheme = schemeOf(text);
  if (scheme === undefined) return text;
  throw new InvalidArgumentError(`Expected a path on this machine, not a URL. Write ./${scheme}:/ for a folder with that name.`);
}

/** Collects the values of an option that can be repeated. */
export function texts(text: string, before: readonly string[] | undefined): string[] {
  if (text === '') throw new InvalidArgumentError('Expected a pattern.');
  return [...(before ?? []), text];
}

/** Parses a time with a time zone. */
export function instant(text: string): Instant {
  const value = parseInstant(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('Expected a time with a time zone, such as 2017-09-19T20:47:28Z.');
}

/** Returns a parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/**
 * Ignores the environment variable of an option if it is empty, or if it switches a flag off. GitHub jobs set a variable
 * without a value to an empty text, and commander would use that text as the option's value. Commander also switches a
 * flag on for any value of its variable.
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

/** Returns whether the environment variable of a flag switches it on. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && !/^(0|no|off|false)$/i.test(value);
}

/** Returns the examples at the end of a command's help, each with its effect. */
export function examples(...lines: readonly (readonly [command: string, effect: string])[]): string {
  return `\nExamples:\n${lines.map(([command, effect]) => `  $ ${command}\n      ${effect}`).join('\n')}`;
}
