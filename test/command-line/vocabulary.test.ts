import { expect, it } from 'vitest';
import { vocabulary } from '../docs/vocabulary.ts';
import { allCommands } from '../support/commands.ts';

const TERMS = vocabulary(allCommands());

it.each(TERMS.filter(({ commands }) => commands.length > 1))('$flags has one meaning and one kind of value in $commands', (term) => {
  expect(term.meanings).toHaveLength(1);
  expect(term.values).toHaveLength(1);
});

it('each meaning has one option', () => {
  const meanings = TERMS.flatMap((term) => term.meanings);
  expect(meanings.filter((one, index) => meanings.indexOf(one) !== index)).toEqual([]);
});
