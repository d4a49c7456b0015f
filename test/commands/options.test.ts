import { afterEach, describe, expect, it, vi } from 'vitest';
import { allCommands } from '../support/commands.ts';

/** Returns the values and the sources of a command's options, if it gets only what it requires. */
async function optionsOf(name: string): Promise<object> {
  const command = allCommands(process.env).find(([one]) => one === name)?.[1];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  let read: object = {};
  command.action(() => {
    const sources = command.options.map((option) => [option.long, command.getOptionValueSource(option.attributeName())]);
    read = { options: command.opts(), sources: Object.fromEntries(sources) };
  });
  // some files need the name of the format, which is the name of most of these commands
  const file = `file.${name === 'normalize' ? 'ndjson' : name.split(' ').at(-1)}`;
  const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', file]);
  const args = command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? 'argument');
  await command.parseAsync([...needed, ...args], { from: 'user' });
  return read;
}

const variables = allCommands().flatMap(([, { options }]) => options.map(({ envVar = '' }) => envVar));

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

  it('are read from variables that are not empty', async () => {
    stub(undefined);
    vi.stubEnv('PALIMPSEST_QUIET', '1');
    expect(await optionsOf(name)).toMatchObject({ options: { quiet: true }, sources: { '--quiet': 'env' } });
    for (const off of ['0', 'no', 'off', 'false', 'False']) {
      vi.stubEnv('PALIMPSEST_QUIET', off);
      expect(await optionsOf(name)).toMatchObject({ options: expect.not.objectContaining({ quiet: true }) });
    }
  });
});
