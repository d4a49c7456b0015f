import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS } from '../../../src/contract/pages/collection.ts';
import { openRegularFile } from '../../../src/tree/regular-file.ts';
import { ZipReader } from '../../../src/zip/zip-reader.ts';
import { readHead } from '../../support/versions.ts';
import { Findings, type Trial } from '../probe.ts';
import type { PublishedSite } from '../published-site.ts';
import { hasDetail } from './trees.ts';

/** A host under test that reads versions. */
export interface VersionedTrial extends Trial {
  /** The folder with the versions. */
  readonly target: string;
  /** The site as version 1 has it, which was published on 2020-01-01. */
  readonly first: PublishedSite;
  /** Copies the folder to the place from which the host reads it. */
  readonly copy: () => Promise<void>;
}

type VersionedProbe = (trial: VersionedTrial) => Promise<readonly string[]>;

const ORIGIN = 'https://history.example';

/** Checks `?as_of=` with a walk by `next`, and `/as_of/`, by number and by time. */
export const asOf: VersionedProbe = async ({ ask, site, first }) => {
  const findings = new Findings();
  for (const value of ['1', '2020-01-02', '2020-01-01T12:00:00Z']) {
    for (const collection of COLLECTIONS) {
      for (const isInPath of [false, true]) {
        const home = isInPath ? `${site.base}/as_of/1/rest/${collection}/` : site.path(collection);
        let target = isInPath ? home.replace('/1/', `/${value}/`) : `${home}?as_of=${value}`;
        for (let page = 1; page <= 3; page += 1) {
          const { status, headers, body } = await ask(target);
          const link = (to: number) => {
            const query = [...(isInPath ? [] : ['as_of=1']), ...(to === 1 ? [] : [`page=${to}`])].join('&');
            return to < 1 || to > 3 ? null : `${ORIGIN}${home}${query && `?${query}`}`;
          };
          const file = first.page(collection, page).toString();
          const results = file.slice(file.indexOf(',"results":['));
          const { count } = JSON.parse(file);
          findings.equal(target, [status, headers['palimpsest-version'], headers['cache-control']], [200, '1', 'public, max-age=3600']);
          findings.bytes(
            target,
            body,
            Buffer.from(JSON.stringify({ count, next: link(page + 1), previous: link(page - 1) }).slice(0, -1) + results),
          );
          target = link(page + 1)?.slice(ORIGIN.length) ?? target;
        }
      }
    }
  }
  for (const path of ['', ...site.browseFiles()]) {
    const { status, headers, body } = await ask(`${site.base}/as_of/1/${path}`);
    findings.equal(`/as_of/1/${path}`, [status, headers['palimpsest-version']], [200, '1']);
    findings.bytes(`/as_of/1/${path}`, body, first.file(path === '' ? 'index.html' : path));
  }
  for (const [value, status] of [
    ['x', 400],
    ['2020-02-30', 400],
    ['2019-12-31', 404],
    ['999', 404],
  ] as const) {
    for (const path of [`${site.path('data')}?as_of=${value}`, `${site.base}/as_of/${value}/rest/data/`]) {
      const answer = await ask(path);
      findings.equal(path, [answer.status, /as_of.* a date/.test(answer.body.toString())], [status, true]);
      findings.interfaceHeaders(path, answer);
    }
  }
  return findings.found;
};

/** Checks the answers if the head, the index or the place of a file is damaged or missing, and that the host recovers. */
export const unreadable: VersionedProbe = async (trial) => {
  const { target } = trial;
  const head = readFileSync(join(target, 'head.json'));
  const { zip, index } = current(target);
  const damages: readonly (readonly [name: string, damage: () => void])[] = [
    ['no head.json', () => rmSync(join(target, 'head.json'))],
    ['another byte in head.json', () => writeFileSync(join(target, 'head.json'), head.toString().replace('"offset":', '"offset":1'))],
    ['no ZIP', () => rmSync(zip)],
    [
      'an index of zeros',
      () => writeFileSync(zip, readFileSync(zip).fill(0, index.offset, index.offset + index.buckets * index.capacity * 34)),
    ],
    ['other local headers', () => damageMembers(zip, 20)],
  ];
  return await afterEach(trial, damages, true);
};

/** Checks that a file that does not match its CRC-32 is never sent. */
export const damagedFiles: VersionedProbe = async (trial) => {
  const { zip } = current(trial.target);
  // after the stored block of a page, so that its envelope is still right
  return await afterEach(trial, [['other bytes in files', () => damageMembers(zip, -3)]], false);
};

/** Asks for files after each damage. @param isEach whether each of the files must be refused */
async function afterEach(
  trial: VersionedTrial,
  damages: readonly (readonly [name: string, damage: () => void])[],
  isEach: boolean,
): Promise<readonly string[]> {
  const findings = new Findings();
  const { target, site, ask, copy } = trial;
  const { zip } = current(target);
  const good = { head: readFileSync(join(target, 'head.json')), zip: readFileSync(zip) };
  for (const [name, damage] of damages) {
    damage();
    await copy();
    for (const path of [site.path('data'), `${site.path('account')}?page=2`, `${site.base}/browse/changes/1.html`]) {
      for (const coding of ['identity', 'gzip']) {
        const answer = await ask(path, 'GET', { 'Accept-Encoding': coding }).catch(String);
        const found = typeof answer === 'string' ? answer : [answer.status, answer.headers['content-type'], hasDetail(answer.body)];
        findings.equal(`${name}: ${path} ${coding}`, found, [503, 'application/json', true]);
      }
    }
    if (isEach) findings.equal(`${name}: a path outside`, (await ask(`${site.base}/rest/other/`)).status, 404);
    writeFileSync(join(target, 'head.json'), good.head);
    // a host may have opened the damaged file
    writeFileSync(`${zip}.new`, good.zip);
    renameSync(`${zip}.new`, zip);
  }
  await copy();
  const { status, body } = await ask(site.path('data'));
  findings.equal('afterwards', status, 200);
  findings.bytes('afterwards', body, site.page('data', 1));
  return findings.found;
}

function current(target: string): { readonly zip: string; readonly index: ZipReader['index'] } {
  const version = readHead(target).versions.at(-1);
  if (version === undefined) throw new Error(`${target} has no version`);
  return { zip: join(target, version.file), index: version.index };
}

/** Changes one byte of each file in a ZIP. @param place in the member; from its end if it is negative */
function damageMembers(zip: string, place: number): void {
  const reader = new ZipReader(openRegularFile(zip));
  const bytes = readFileSync(zip);
  for (const path of reader.paths()) {
    const { offset = 0, packed = 0 } = reader.find(path) ?? {};
    const at = offset + (place < 0 ? 30 + path.length + packed + place : place);
    bytes[at] = (bytes[at] ?? 0) ^ 0x40;
  }
  reader.close();
  writeFileSync(zip, bytes);
}
