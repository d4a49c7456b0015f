import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { draftOf } from '../../../src/contract/files/draft.ts';
import { refuseOtherContent } from '../../../src/contract/files/result-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DRAFT = basename(draftOf('a.csv'));
const otherIn = (names: readonly string[]) => names.find((name) => !name.endsWith('.csv'));

it.each([
  ['no folder', undefined, undefined],
  ['an empty folder', [], undefined],
  ['an earlier result', ['a.csv', 'b.csv'], undefined],
  ['an earlier result and a draft', [DRAFT, 'a.csv'], undefined],
  ['other files', [DRAFT, 'a.csv', 'z.txt', 'b.txt'], 'a folder that contains b.txt'],
  ['a file', 'text', 'a file'],
] as const)('a result can be in place of %s, or the refusal says what is there', (_, content, found) => {
  const folder = join(temporaryFolder(), 'result');
  if (content === 'text') writeFileSync(folder, content);
  else if (content !== undefined) mkdirSync(folder);
  if (Array.isArray(content)) for (const name of content) writeFileSync(join(folder, name), '');
  const refuse = () => refuseOtherContent(folder, otherIn);
  if (found === undefined) return expect(refuse).not.toThrow();
  expect(refuse).toThrow(expect.objectContaining({ code: 'not-ours', place: { file: folder }, found }));
});

it('an empty folder is not asked for its names', () => {
  expect(() => refuseOtherContent(temporaryFolder(), () => 'a name')).not.toThrow();
});
