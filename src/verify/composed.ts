import { ChunkReader } from '../composed/chunk-folder.ts';
import { type ComposedHead, readHead } from '../composed/head.ts';
import { Pauses } from '../contract/pauses.ts';
import { pagesFor } from '../pages/page.ts';
import { HEAD } from '../tree/found-layout.ts';
import { ChunkCheck } from './chunk-check.ts';
import { ComposedPages } from './composed-pages.ts';
import { filesIn } from './files.ts';
import { isPublishState } from './publish-state.ts';
import type { TreeBuild } from './tree-pages.ts';
import type { Report } from './violation.ts';
import { UNFINISHED, type VerifyOptions, walkTree } from './walk.ts';

/** What a composed tree says about itself. */
export interface ComposedBuild extends TreeBuild {
  readonly palimpsest: string;
  readonly layout: 'composed';
  /** The number of the present state. */
  readonly generation: number;
  /** The number of states that can be read. */
  readonly generations: number;
}

/** The head of a composed tree. */
export interface ComposedRecord {
  readonly layout: 'composed';
  readonly head: ComposedHead;
  readonly build: ComposedBuild;
}

/** Reads the head of a composed tree. Reports it if it is damaged. */
export function composedRecord(out: string, report: Report): ComposedRecord | undefined {
  const head = readHead(out);
  if (head === undefined) {
    report.add({ rule: 'build-record', path: HEAD, expected: 'the head of a finished build', found: 'missing or wrong fields' });
    return undefined;
  }
  const { palimpsest, layout, base_url, page_size, account_page_size, generation, store, data, account, log } = head;
  const build: ComposedBuild = {
    palimpsest,
    layout,
    base_url,
    page_size,
    account_page_size,
    generation,
    generations: log.count,
    records: data.count,
    accounts: account.count,
    data_pages: pagesFor(data.count, page_size),
    account_pages: pagesFor(account.count, account_page_size),
    store,
  };
  return { layout, head, build };
}

/** Checks a composed tree: the chunks of all generations, and the pages of the present one. */
export async function checkComposed(
  { head, build }: ComposedRecord,
  report: Report,
  options: VerifyOptions,
): Promise<{ readonly records: number; readonly accounts: number }> {
  const { out, signal, onProgress = () => {} } = options;
  const pauses = new Pauses(signal, UNFINISHED);
  const chunks = new ChunkReader(out);
  const check = new ChunkCheck(chunks, report);
  let done = 0;
  for (const _ of check.all(head)) {
    done += 1;
    if (!pauses.areDue) continue;
    onProgress('files', done, 0);
    await pauses.take();
  }
  const pages = new ComposedPages(head, check.leaves, chunks);
  const walked = await walkTree({ build, record: HEAD, pages }, report, options, pauses);
  for (const path of filesIn(out, '')) {
    // a build that was killed may leave chunks that no state needs
    const isOurs = path === HEAD || path.startsWith('.') || isPublishState(out, path) || /^chunks\/[0-9a-f]{2}\/[0-9a-f]{62}$/.test(path);
    if (!isOurs) report.add({ rule: 'unexpected-file', path, expected: 'no file at this path', found: 'a file' });
  }
  return walked;
}
