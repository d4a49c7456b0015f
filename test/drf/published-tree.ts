import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collection } from '../../src/contract/collection.ts';
import type { Site } from '../../src/contract/site.ts';
import { MISSING, resolve } from '../../src/rewrite/resolve.ts';
import { readBuildRecord } from '../../src/tree/build-record.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { type Answered, headersOf } from './answered.ts';

/** A tree that the program built. It answers requests like a host that uses the rewrite function. */
export interface PublishedTree {
  readonly folder: string;
  readonly pages: { readonly [C in Collection]: number };
  /** The files that were returned so far. */
  readonly shown: ReadonlySet<string>;
  readonly ask: (target: string, method?: string) => Answered;
}

/** Imports a file and builds its tree with the real program. */
export async function publish(input: string, folder: string, site: Site): Promise<PublishedTree> {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await palimpsestJson(['import', input, '--store', store]);
  const sizes = ['--page-size', String(site.page_size), '--account-page-size', String(site.account_page_size)];
  await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', site.base_url, ...sizes]);
  const build = readBuildRecord(out);
  if (typeof build === 'string') throw new Error(`expected a build record in ${out}, found ${build}`);
  const shown = new Set<string>();
  return {
    folder: out,
    pages: { data: build.data_pages, account: build.account_pages },
    shown,
    ask: (target, method = 'GET') => {
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      const named = resolve(method, path, query);
      const file = named.file === undefined ? undefined : join(out, named.file);
      const answer = file === undefined || existsSync(file) ? named : MISSING;
      if (answer.file !== undefined) shown.add(answer.file);
      const body = answer.file === undefined ? Buffer.from(answer.body ?? '') : readFileSync(join(out, answer.file));
      return { status: answer.status, headers: headersOf((name) => answer.headers[name]), body };
    },
  };
}
