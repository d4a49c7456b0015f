import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LINES, SPOOLS, StagedPart } from '../../../src/tree/build/staged-part.ts';
import { NO_FILES } from '../../../src/tree/manifest/listing.ts';
import { SITE } from '../../browse/small-site.ts';
import { temporaryFolder } from '../../support/folder.ts';

it.each(['folder', 'zip'] as const)('two files with one path are an error in a tree of the form %s', (form) => {
  const stage = temporaryFolder();
  for (const name of [LINES, SPOOLS]) mkdirSync(join(stage, name));
  const part = new StagedPart({ stage, form, store: '', revision: 1, site: SITE, before: NO_FILES }, 'account/00');
  part.put(['browse/account/00/a.html'], [Buffer.from('first')]);
  part.put(['browse/account/00/b.html'], [Buffer.from('other')]);
  expect(() => part.put(['browse/account/00/a.html'], [Buffer.from('second')])).toThrow('two files have the path browse/account/00/a.html');
  part.close();
});
