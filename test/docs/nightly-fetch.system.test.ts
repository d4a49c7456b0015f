import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate, openssl } from '../publish/certificate.ts';
import { portOf } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';
import { blocks, machine, STEPS } from './nightly-page.ts';

const curl = requirement('curl', () => {
  try {
    return execFileSync('curl', ['--version'], { encoding: 'utf8' }).startsWith('curl ');
  } catch {
    return false;
  }
});

/** An account as the API of Mastodon 4 returns it. */
const mastodonAccount = (username: string, more: object = {}) => ({
  id: `1094${username.length}7326598451`,
  username,
  acct: username,
  display_name: `${username} :verified:`,
  locked: false,
  bot: false,
  discoverable: true,
  indexable: false,
  group: false,
  created_at: '2019-04-03T00:00:00.000Z',
  note: '<p>Rivers &amp; maps.<br>See <a href="https://example.org/rivers" rel="nofollow noopener" target="_blank"><span class="invisible">https://</span><span class="">example.org/rivers</span><span class="invisible"></span></a></p>',
  url: `https://social.example/@${username}`,
  uri: `https://social.example/users/${username}`,
  avatar: 'https://files.social.example/accounts/avatars/1/original/face.png',
  avatar_static: 'https://files.social.example/accounts/avatars/1/original/face.png',
  header: 'https://social.example/headers/original/missing.png',
  header_static: 'https://social.example/headers/original/missing.png',
  followers_count: 12,
  following_count: 3,
  statuses_count: 451,
  last_status_at: '2026-11-20',
  hide_collections: null,
  noindex: false,
  emojis: [
    {
      shortcode: 'verified',
      url: 'https://files.social.example/v.png',
      static_url: 'https://files.social.example/v.png',
      visible_in_picker: true,
    },
  ],
  roles: [],
  fields: [{ name: 'Site', value: '<a href="https://example.org">example.org</a>', verified_at: null }],
  ...more,
});

/** A detailed profile as the AppView of Bluesky returns it. */
const blueskyProfile = (did: string) => ({
  did,
  handle: `${did.slice(-4)}.example.org`,
  displayName: `Profile ${did.slice(-4)}`,
  avatar: `https://cdn.example/img/avatar/plain/${did}/image@jpeg`,
  associated: { lists: 0, feedgens: 0, starterPacks: 0, labeler: false, chat: { allowIncoming: 'following' } },
  labels: [],
  createdAt: '2023-05-04T11:02:33.917Z',
  verification: { verifications: [], verifiedStatus: 'none', trustedVerifierStatus: 'none' },
  description: 'Herons at #dawn.',
  indexedAt: '2026-08-30T07:21:43.301Z',
  followersCount: 5,
  followsCount: 8,
  postsCount: 13,
});

const ACTORS = Array.from({ length: 27 }, (_, index) => `did:plc:z72i7hdynmk6r22z27h6${1000 + index}`);

/** Starts a server that answers as social.example and public.api.bsky.app do. Returns what curl needs to reach it, and the requests. */
async function startServices(folder: string): Promise<{ readonly env: Readonly<Record<string, string>>; readonly asked: string[] }> {
  const { cert, key, path } = makeCertificate(folder, ['social.example', 'other.example', 'public.api.bsky.app']);
  const asked: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const url = new URL(request.url ?? '', `https://${request.headers.host}`);
    asked.push(url.href);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const name = url.searchParams.get('acct') ?? '';
    const actors = url.searchParams.getAll('actors');
    if (url.host === 'public.api.bsky.app' && url.pathname === '/xrpc/app.bsky.actor.getProfile') {
      send(200, blueskyProfile(ACTORS[0] ?? ''));
    } else if (url.host === 'public.api.bsky.app' && url.pathname === '/xrpc/app.bsky.actor.getProfiles') {
      if (actors.length > 25) send(400, { error: 'InvalidRequest', message: 'Error: actors must not have more than 25 elements' });
      else send(200, { profiles: actors.map(blueskyProfile) });
    } else if (url.host === 'social.example' && url.pathname === '/api/v1/accounts/lookup' && name === 'gone') {
      send(404, { error: 'Record not found' });
    } else if (url.host === 'social.example' && url.pathname === '/api/v1/accounts/lookup' && name === 'banned') {
      send(200, mastodonAccount(name, { display_name: '', note: '', suspended: true }));
    } else if (url.host === 'social.example' && url.pathname === '/api/v1/accounts/lookup') {
      send(200, mastodonAccount(name));
    } else {
      send(401, { error: 'This method requires an authenticated user' });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.curlrc'), `connect-to = "::127.0.0.1:${portOf(server)}"\ncacert = "${path}"\nnoproxy = "*"\n`);
  return { env: { CURL_HOME: home, PATH: `${machine(folder)}:${process.env['PATH']}` }, asked };
}

const [script = '', showDid = ''] = blocks('Fetch the profiles', 'sh');

function prepare(mastodon: string, bluesky: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'fetch-snapshots.sh'), script, { mode: 0o755 });
  writeFileSync(join(folder, 'mastodon.txt'), mastodon);
  writeFileSync(join(folder, 'bluesky.txt'), bluesky);
  return folder;
}

const step = (word: string) => STEPS.find(({ command }) => command.includes(word))?.command ?? '';

describe.skipIf(curl.skip || openssl.skip)('fetch-snapshots.sh in docs/nightly.md', () => {
  it('fetches profiles that the step Observe reads', async () => {
    const folder = prepare('heron@social.example\n\nmap_maker@social.example', `${ACTORS.join('\n')}\n`);
    const { env, asked } = await startServices(folder);
    expect(await shell(step('fetch-snapshots.sh'), folder, env)).toMatchObject({ status: 0, stderr: '' });
    expect(asked.map((href) => new URL(href).searchParams.getAll('actors').length)).toEqual([0, 0, 25, 2]);
    expect(await shell(step('observe'), folder, env)).toMatchObject({ status: 0 });

    const show = (name: string) => palimpsestJson(['history', name], { cwd: folder });
    const texts = ({ records }: Record<string, unknown>) =>
      JSON.parse(JSON.stringify(records)).map((record: { readonly data_type: string; readonly text: string }) => [
        record.data_type,
        record.text,
      ]);
    expect(texts(await show('heron@social.example')).toSorted()).toEqual([
      ['Bio', 'Rivers & maps.\nSee https://example.org/rivers'],
      ['Name', 'heron :verified:'],
    ]);
    expect(texts(await show('1026.example.org')).toSorted()).toEqual([
      ['Bio', 'Herons at #dawn.'],
      ['Name', 'Profile 1026'],
      ['Verified', 'false'],
      ['Website', ''],
    ]);
    // a second night with the same profiles adds nothing
    const again = await shell(`${step('observe')} --json`, folder, env);
    expect(JSON.parse(again.stdout)).toMatchObject({ snapshots: 29, unchanged: 29, accounts: { added: 0 } });
  });

  it('continues after an account that it cannot fetch, and leaves out suspended accounts', async () => {
    const folder = prepare('gone@social.example\nbanned@social.example\nlocked@other.example\nheron@social.example\n', '');
    const { env } = await startServices(folder);
    const { status, stderr } = await shell(step('fetch-snapshots.sh'), folder, env);
    expect(status).toBe(0);
    expect(stderr).toContain('not fetched: https://social.example/api/v1/accounts/lookup?acct=gone');
    expect(stderr).toContain('not fetched: https://other.example/api/v1/accounts/lookup?acct=locked');
    expect(readdirSync(join(folder, 'snapshots'))).toEqual(['heron@social.example.json']);
    expect(JSON.parse(readFileSync(join(folder, 'snapshots/heron@social.example.json'), 'utf8'))).toMatchObject({ username: 'heron' });
  });

  it('makes the job fail with no-source if nothing was fetched', async () => {
    const folder = prepare('gone@social.example\n', '');
    const { env } = await startServices(folder);
    expect(await shell(step('fetch-snapshots.sh'), folder, env)).toMatchObject({ status: 0 });
    expect(await shell(step('observe'), folder, env)).toMatchObject({ status: 1, stderr: expect.stringContaining('(no-source)') });
  });

  it('comes with a command that shows the DID of a handle', async () => {
    const folder = prepare('', '');
    const { env } = await startServices(folder);
    expect(await shell(showDid, folder, env)).toMatchObject({ status: 0, stdout: `"did":"${ACTORS[0]}"\n` });
  });
});
