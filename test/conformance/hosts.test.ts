import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allHosts } from '../../src/rewrite/hosts/registry.ts';

const here = (path: string) => new URL(path, import.meta.url);
const HOSTS = await allHosts();

// the tests with the real servers say which of its variants are tested
test('every host has a subject of the tests with real servers', () => {
  const subjects = readdirSync(here('subjects')).map((file) => readFileSync(here(`subjects/${file}`), 'utf8'));
  const tested = subjects.flatMap((text) => [...text.matchAll(/\/src\/rewrite\/hosts\/([a-z-]+)\.ts'/g)].map(([, name]) => name));
  expect(tested).toEqual(expect.arrayContaining(HOSTS.map(({ name }) => name)));
});

test('docs/hosts.md has a row and a section of every host and its variants', () => {
  const document = readFileSync(here('../../docs/hosts.md'), 'utf8');
  const names = HOSTS.flatMap(({ name, atOrigin, withVersions }) => [
    name,
    ...(atOrigin === undefined ? [] : [`${name} --origin`]),
    ...(withVersions === undefined ? [] : [`${name} --versions`]),
  ]);
  for (const name of names) for (const start of [`| \`${name}\` |`, `### ${name}\n`]) expect(document).toContain(`\n${start}`);
});
