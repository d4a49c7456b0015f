import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { NEW_TARGET, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { contentsOf } from '../support/snapshots.ts';
import { chance } from './chance.ts';

const NIGHTS = times('generated nights with faults', 16, 60);
const SEED = 47;
/** Half of the accounts are on Mastodon, half on Bluesky. */
const ACCOUNTS = 40;
const BASE_URL = 'https://history.example';

/** What can be wrong, or only look so, in a night. */
const FAULTS = [
  'other content in a compressed file',
  'the same content in a compressed file',
  'suspended accounts',
  'views without a description',
  'emptied texts',
  'two nights with one time',
  'a clock that is ahead',
  'a clock that is behind',
  'a few items that cannot be read',
  'many items that cannot be read',
  'few accounts',
  'some accounts missing',
  'another address',
  'pages of another renderer',
] as const;
type Fault = (typeof FAULTS)[number] | 'none';

const random = chance(SEED);
const pick = (count: number): ReadonlySet<number> => {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(Math.floor(random() * ACCOUNTS));
  return chosen;
};
const isMastodon = (account: number) => account < ACCOUNTS / 2;
const handleOf = (account: number) => (isMastodon(account) ? `user${account}@social.example` : `user${account}.bsky.example`);

/** Returns the faults of the nights: each kind in turn, in an order by chance. */
function* faults(): Generator<Fault> {
  yield 'none';
  for (;;) {
    const deck = [...FAULTS, 'none' as const];
    while (deck.length > 0) yield deck.splice(Math.floor(random() * deck.length), 1)[0] ?? 'none';
  }
}

const mastodon = (account: number, bio: string, isSuspended = false) => ({
  id: `${account}`,
  acct: `user${account}`,
  url: `https://social.example/@user${account}`,
  display_name: isSuspended ? '' : `User ${account}`,
  note: isSuspended || bio === '' ? '' : `<p>${bio}</p>`,
  ...(isSuspended ? { suspended: true } : {}),
});
const bluesky = (account: number, bio: string, isBasic = false) => ({
  did: `did:plc:${account}`,
  handle: handleOf(account),
  displayName: `User ${account}`,
  // a view omits what is empty; only profileViewBasic never has a description
  ...(isBasic ? {} : { indexedAt: '2023-01-01T00:00:00Z', ...(bio === '' ? {} : { description: bio }) }),
});

/** Writes the files of a night. @param bios the texts of the accounts that the night has */
function writeNight(folder: string, bios: ReadonlyMap<number, string>, fault: Fault, affected: ReadonlySet<number>): void {
  const isBroken = /cannot be read/.test(fault);
  const documents = [...bios].map(([account, bio]) => {
    if (isBroken && affected.has(account)) return { ...(isMastodon(account) ? mastodon : bluesky)(account, bio), note: 7, description: 7 };
    const isAffected = affected.has(account);
    return isMastodon(account)
      ? mastodon(account, bio, isAffected && fault === 'suspended accounts')
      : bluesky(account, bio, isAffected && fault === 'views without a description');
  });
  const write = (name: string, values: readonly object[], pack: (text: string) => string | Buffer = (text) => text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), pack(values.map((value) => `${JSON.stringify(value)}\n`).join('')));
  };
  const half = documents.slice(0, documents.length / 2);
  const isSplit = fault === 'other content in a compressed file';
  write('index.ndjson', isSplit ? half : documents);
  if (isSplit) write('index.ndjson.gz', documents.slice(half.length), gzipSync);
  if (fault === 'the same content in a compressed file') write('index.ndjson.gz', documents, gzipSync);
}

it(`names every fault of ${NIGHTS} nights, calls no such night good, and invents no change`, async () => {
  const cwd = temporaryFolder();
  const store = join(cwd, 'data', 'palimpsest.db');
  const run = (...args: string[]) => palimpsestHere(args, { cwd });
  const build = (...more: string[]) => palimpsestJson(['build', '--base-url', BASE_URL, '--page-size', '10', ...more], { cwd });
  /** The texts at the service, what the store must have seen of them, and what it must have recorded. */
  const truth = new Map(Array.from({ length: ACCOUNTS }, (_, account) => [account, `bio of ${account} at first`]));
  const known = new Map<number, string>();
  const history: string[] = [];
  const named = new Map<Fault, number>();
  const kinds = faults();
  for (let night = 0; night < NIGHTS; night += 1) {
    const fault = kinds.next().value;
    const title = `night ${night}: ${fault}`;
    const day = new Date(Date.UTC(2024, 0, 1 + night)).toISOString().slice(0, 10);
    const changed = night === 0 ? [] : [...pick(4)];
    for (const account of changed) truth.set(account, `bio of ${account} on ${day}`);
    if (fault === 'emptied texts') for (const account of changed) truth.set(account, '');
    const share = { 'many items that cannot be read': 16, 'few accounts': 26 }[fault as string] ?? 4;
    const affected = pick(share);
    const isMissing = fault === 'few accounts' || fault === 'some accounts missing';
    const bios = new Map([...truth].filter(([account]) => !isMissing || !affected.has(account)));
    rmSync(join(cwd, 'nights'), { recursive: true, force: true });
    rmSync(join(cwd, 'rejects.ndjson'), { force: true });
    const hasNoTime = /clock|one time/.test(fault);
    writeNight(join(cwd, 'nights', hasNoTime ? 'tonight' : day), bios, fault, affected);
    const before = new Map([...bios].map(([account, bio]) => [account, `${bio}, before`]));
    if (fault === 'two nights with one time') writeNight(join(cwd, 'nights', 'the night before'), before, 'none', affected);
    const time = { 'a clock that is ahead': '2094-01-01', 'a clock that is behind': '2023-06-01' }[fault as string] ?? day;
    const clock = hasNoTime ? ['--observed-at', `${time}T00:00:00Z`] : [];
    const fingerprint = night === 0 ? '' : contentsOf(store).fingerprint;
    const { code, stdout, stderr } = await run('observe', 'nights', '--rejects', 'rejects.ndjson', '--json', '--quiet', ...clock);
    const summary = JSON.parse(stdout);

    const refusal = {
      'two nights with one time': 'shared-time',
      'a clock that is ahead': 'future-time',
      'a clock that is behind': 'all-late',
      'many items that cannot be read': 'too-many-rejects',
      'few accounts': 'too-few-accounts',
    }[fault as string];
    named.set(fault, (named.get(fault) ?? 0) + 1);
    if (refusal !== undefined) {
      expect([code, summary.error?.code], title).toEqual([3, refusal]);
      expect(stderr, title).toContain(refusal);
      expect(contentsOf(store).fingerprint, title).toBe(fingerprint);
      continue;
    }
    expect([code, summary.error], `${title}: ${stderr}`).toEqual([0, undefined]);
    const isRejected = fault === 'a few items that cannot be read';
    const absent = fault === 'some accounts missing' || isRejected ? [...affected].filter((account) => known.has(account)) : [];
    expect(summary, title).toMatchObject({
      snapshots: isRejected ? ACCOUNTS - affected.size : bios.size,
      rejected: isRejected ? affected.size : 0,
      suspended: fault === 'suspended accounts' ? [...affected].filter(isMastodon).length : 0,
      missing: { count: absent.length },
      conflicts: { count: 0 },
      late: 0,
    });
    // also with --quiet, and nothing else
    const names = [...absent].map(handleOf);
    expect(
      names.filter((name) => !stderr.includes(name)),
      title,
    ).toEqual([]);
    expect(stderr.includes('rejected'), title).toBe(isRejected);
    expect(stderr === '', `${title}: ${stderr}`).toBe(absent.length === 0 && !isRejected);

    const isUnknown = (account: number) =>
      affected.has(account) &&
      (isRejected ||
        (fault === 'suspended accounts' && isMastodon(account)) ||
        (fault === 'views without a description' && !isMastodon(account)));
    for (const [account, bio] of bios) {
      if (isUnknown(account) || known.get(account) === bio) continue;
      history.push(`${day} ${handleOf(account)} ${bio}`);
      known.set(account, bio);
    }

    if (fault === 'pages of another renderer') {
      const record = join(cwd, 'out', 'build.json');
      writeFileSync(record, readFileSync(record, 'utf8').replace(/"renderer":"[^"]*"/, '"renderer":"of another commit"'));
      writeFileSync(join(cwd, 'out', 'rest', 'account', 'index.json'), '{"stale":true}');
    }
    if (fault === 'another address') {
      rmSync(join(cwd, 'out'), { recursive: true, force: true });
      await palimpsestJson(['build', '--base-url', 'https://hisotry.test', '--page-size', '10'], { cwd });
      expect(await run('publish', 'pub'), title).toMatchObject({ code: 3, stderr: expect.stringContaining('(other-base-url)') });
    }
    await build();
    expect(await run('verify', '--store', store), title).toMatchObject({ code: 0 });
    const warned = night === 0 ? expect.stringMatching(NEW_TARGET) : '';
    expect(await run('publish', 'pub', '--quiet'), title).toMatchObject({ code: 0, stderr: warned });
  }
  const { feed } = contentsOf(store);
  const found = feed.filter(({ data_type }) => data_type === 'Bio');
  expect(
    found
      .map(({ first_encountered_date, account, text }) => `${String(first_encountered_date).slice(0, 10)} ${account} ${text}`)
      .toSorted(),
  ).toEqual(history.toSorted());
  // a first sight of each account, and no other field ever changed
  expect(feed.length - found.length).toBe(ACCOUNTS);
  const published = JSON.parse(readFileSync(join(cwd, 'pub', 'rest', 'data', 'index.json'), 'utf8'));
  expect(published.count).toBe(feed.length);
  console.log(`${NIGHTS} nights: ${[...named].map(([fault, count]) => `${fault} ${count}`).join(', ')}; ${history.length} changes`);
});
