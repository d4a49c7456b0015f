import type { Option } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSwitch } from '../../src/command-line/refusals.ts';
import { allCommands } from '../support/commands.ts';

/** Texts of which each option accepts one. */
const TEXTS = [
  'x',
  '5',
  '20%',
  '5d',
  '0/2',
  '2024-01-01T00:00:00Z',
  'a.wacz',
  'a.warc',
  'a.ndjson',
  'gzip',
  'https://a.example/{}',
  'Contact-Name=Ann',
  '1s',
];

/** Returns a text that an option accepts. */
function textFor({ argChoices, parseArg }: Option): string | undefined {
  return [...(argChoices ?? TEXTS)].reverse().find((text) => {
    try {
      parseArg?.(text, undefined);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the values and the sources of a command's options, if it gets what it requires and further words. */
async function optionsOf(name: string, words: readonly string[] = [], without?: string): Promise<{ options: object; sources: object }> {
  const command = allCommands(process.env).find(([one]) => one === name)?.[1];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  let read = { options: {}, sources: {} };
  command.action(() => {
    const sources = command.options.map((option) => [option.long, command.getOptionValueSource(option.attributeName())]);
    read = { options: command.opts(), sources: Object.fromEntries(sources) };
  });
  // some files need the name of the format, which is the name of most of these commands
  const file = `file.${name === 'normalize' ? 'ndjson' : name.split(' ').at(-1)}`;
  const needed = command.options.filter(({ long, mandatory }) => mandatory && long !== without).flatMap(({ long }) => [long ?? '', file]);
  const args = command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? 'argument');
  await command.parseAsync([...needed, ...args, ...words], { from: 'user' });
  return read;
}

const optionsIn = (name: string) => allCommands().find(([one]) => one === name)?.[1].options ?? [];
const variables = allCommands().flatMap(([, { options }]) => options.flatMap(({ envVar }) => envVar ?? []));

/** The words that switch on and off. All commands read them in one way. */
const wordsFor = (name: string) =>
  name === 'build' ? { on: ['1', 'true', 'yes', 'on', 'On'], off: ['0', 'no', 'off', 'false', 'False'] } : { on: ['1'], off: ['no'] };

function stub(value: string | undefined): void {
  for (const name of variables) vi.stubEnv(name, value);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(allCommands().map(([name]) => name))('the options of %s', (name) => {
  it('have the same value with an empty variable as without one', async () => {
    stub(undefined);
    const unset = await optionsOf(name);
    stub('');
    expect(await optionsOf(name)).toEqual(unset);
  });

  it('have the same value from a variable as on the command line', async () => {
    for (const option of optionsIn(name)) {
      const { long = '', envVar } = option;
      if (envVar === undefined) continue;
      stub(undefined);
      const text = isSwitch(option) ? undefined : textFor(option);
      const { options } = await optionsOf(name, text === undefined ? [long] : [long, text], long);
      for (const value of text === undefined ? wordsFor(name).on : [text]) {
        vi.stubEnv(envVar, value);
        expect(await optionsOf(name, [], long), envVar).toMatchObject({ options, sources: { [long]: 'env' } });
      }
    }
  });

  it('are off with a variable that says no, as with the opposite option', async () => {
    for (const off of wordsFor(name).off) {
      stub(undefined);
      const { options: unset } = await optionsOf(name);
      const { options: opposite } =
        name === 'build' ? await optionsOf(name, ['--no-html', '--no-noindex', '--no-account-feeds']) : { options: unset };
      for (const option of optionsIn(name)) if (isSwitch(option)) vi.stubEnv(option.envVar ?? 'NONE', off);
      expect((await optionsOf(name)).options).toEqual(opposite);
    }
  });
});
