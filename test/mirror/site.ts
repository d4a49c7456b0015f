import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { respond } from '../../src/rewrite/fetch-handler.ts';
import { inFiles } from '../../src/rewrite/files.ts';
import type { SiteVersion } from '../../src/versions/site-version.ts';
import { LARGE } from '../drf/samples.ts';
import { portOf } from '../publish/stores.ts';
import { filesIn } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

type Fault = 'no ranges' | 'missing' | 'damaged' | 'cut' | 'unchanged';

/** A site on a server that sends its files and answers requests for pages, as an object store with the rewrite function does. */
export interface Site {
  readonly baseUrl: string;
  /** The store of the site. */
  readonly store: string;
  readonly out: string;
  readonly target: string;
  /** Imports items into the store, and builds the tree. */
  readonly build: (history: History) => Promise<void>;
  /** Builds the ZIP of the store, and publishes it as a version. */
  readonly publish: () => Promise<void>;
  readonly current: () => SiteVersion;
  /** Builds the tree of another store for the address of the site. Returns its files. */
  readonly builtFrom: (store: string) => Promise<Map<string, Buffer>>;
  /** The requests that were answered, with the range if there was one. */
  readonly answered: string[];
  /** Called before each answer. Changes what the server does with a path; undefined: nothing. */
  fault: (path: string) => Fault | undefined | Promise<Fault | undefined>;
  readonly stop: () => void;
}

const SIZES = ['--page-size', '7', '--account-page-size', '2'];

/** Starts a site with a large history. It has no version yet. */
export async function startSite(folder: string): Promise<Site> {
  const [store, out, zip, target] = [join(folder, 'origin.db'), join(folder, 'out'), join(folder, 'out.zip'), join(folder, 'site')];
  const server = createServer(async ({ method = 'GET', url = '/', headers }, response) => {
    const fault = await site.fault(url);
    const send = (status: number, body: Uint8Array, more = {}) => {
      site.answered.push([status, url, headers.range].filter((part) => part !== undefined).join(' '));
      response.writeHead(status, { ...more, 'content-length': body.length });
      if (fault === 'cut') response.write(body.slice(0, body.length / 2), () => response.destroy());
      else response.end(body);
    };
    if (fault === 'missing') return send(404, Buffer.alloc(0));
    if (fault === 'unchanged' && headers['if-none-match'] !== undefined)
      return send(304, Buffer.alloc(0), { ETag: headers['if-none-match'] });
    const isFile = /^\/(head\.json|build\.json|manifest-sha256\.txt|versions\/.+)$/.test(url);
    const path = [join(target, url), join(out, url)].find((one) => isFile && existsSync(one));
    if (path !== undefined) {
      const bytes = readFileSync(path);
      if (fault === 'damaged') bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined || fault === 'no ranges') return send(200, bytes);
      return send(206, bytes.subarray(Number(from), Number(to) + 1), { 'Content-Range': `bytes ${from}-${to}/${bytes.length}` });
    }
    const asked = { method, url: `http://tree${url}`, headers: new Headers() };
    const source = inFiles(async (file) => (existsSync(join(out, file)) ? new Uint8Array(readFileSync(join(out, file))) : undefined), []);
    const answer = await respond(asked, '', source, () => {});
    const body = Buffer.from(await answer.arrayBuffer());
    send(
      answer.status,
      fault === 'damaged' ? Buffer.from(String(body).replace('2015-', '2016-')) : body,
      Object.fromEntries(answer.headers),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${portOf(server)}`;
  const buildTo = (from: string, to: string) => palimpsestJson(['build', '--store', from, '--out', to, '--base-url', baseUrl, ...SIZES]);
  const site: Site = {
    baseUrl,
    store,
    out,
    target,
    build: async (history) => {
      const input = toNdjson(history).join('\n');
      if (input !== '') await palimpsestJson(['import', '-', '--store', store, '--on-conflict', 'replace'], { input });
      await buildTo(store, out);
    },
    publish: async () => {
      await buildTo(store, zip);
      await palimpsestJson(['publish', target, '--out', zip, '--store', store, '--allow-loopback']);
    },
    current: () => JSON.parse(readFileSync(join(target, 'head.json'), 'utf8')).versions.at(-1),
    builtFrom: async (from) => {
      await buildTo(from, `${from}-out`);
      return filesIn(`${from}-out`);
    },
    answered: [],
    fault: () => undefined,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  await site.build(LARGE);
  return site;
}
