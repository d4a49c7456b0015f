import { execFileSync } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { PROGRAM } from '../../support/palimpsest.ts';
import { isOne } from '../../support/proof.ts';

it.skipIf(isOne)('inputsOf returns more files than a function call can have arguments', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '0'), '');
  // a hard link is created faster than a file
  for (let index = 1; index < 20_000; index += 1) linkSync(join(folder, '0'), join(folder, String(index)));
  const script = `
    import { inputsOf } from ${JSON.stringify(join(PROGRAM, 'dist/sources/inputs/inputs.js'))};
    console.log(inputsOf([${JSON.stringify(folder)}], []).length);`;
  // a small stack allows fewer arguments, so fewer files show the error
  const args = ['--stack-size=120', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('20000\n');
});
