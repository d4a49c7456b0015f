import { afterEach, describe, expect, it, vi } from 'vitest';
import { programFor } from '../../src/cli.ts';
import { Terminal } from '../../src/terminal.ts';
import { commandsIn } from '../support/commands.ts';

const silent = { write: () => true };

/** The commands as they are declared where the environment is this process's; of a group (`store`) those below it. */
function commands() {
  const { env } = process;
  return commandsIn(programFor(new Terminal({ stdin: (async function* () {})(), stdout: silent, stderr: silent, env, once: () => {} })));
}

/** What a command takes its options to be, and from where, given as little as it asks for. */
async function optionsOf(name: string): Promise<object> {
  const command = commands().find(([one]) => one === name)?.[1];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  let read: object = {};
  command.action(() => {
    const sources = command.options.map((option) => [option.long, command.getOptionValueSource(option.attributeName())]);
    read = { options: command.opts(), sources: Object.fromEntries(sources) };
  });
  const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'file']);
  await command.parseAsync([...needed, ...command.registeredArguments.map(() => 'argument')], { from: 'user' });
  return read;
}

const variables = commands().flatMap(([, { options }]) => options.map(({ envVar = '' }) => envVar));

function stub(value: string | undefined): void {
  for (const name of variables) vi.stubEnv(name, value);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(commands().map(([name]) => name))('the options of %s', (name) => {
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
