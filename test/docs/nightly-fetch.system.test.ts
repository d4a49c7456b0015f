import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate, openssl } from '../publish/certificate.ts';
import { portOf } from '../publish/stores.ts';
import { fixture } from '../sources/formats/format-suite.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';
import { machine } from './machine.ts';
import { blocks, STEPS } from './nightly-page.ts';

const curl = requirement('curl', () => spawnSync('curl', ['--version']).status === 0);

/** An account as the API of Mastodon 4 returns it. */
const mastodonAccount = (username: string, more = {}) => {
  const own = { id: `1094${username.length}7326598451`, username, acct: username, url: `https://social.example/@${username}` };
  return { ...fixture('mastodon'), ...own, uri: `https://social.example/users/${username}`, ...more };
};

/** A detailed profile as the AppView of Bluesky returns it. */
const blueskyProfile = (did: string) => ({ ...fixture('bluesky'), did, handle: `${did.slice(-4)}.example.org` });

const ACTORS = Array.from({ length: 27 }, (_, index) => `did:plc:z72i7hdynmk6r22z27h6${1000 + index}`);

/** The answers of social.example and public.api.bsky.app. */
function answerTo({ host, pathname, searchParams }: URL): readonly [status: number, body: unknown] {
  const name = searchParams.get('acct') ?? '';
  const actors = searchParams.getAll('actors');
  switch (host + pathname) {
    case 'public.api.bsky.app/xrpc/app.bsky.actor.getProfile':
      return [200, blueskyProfile(ACTORS[0] ?? '')];
    case 'public.api.bsky.app/xrpc/app.bsky.actor.getProfiles':
      if (actors.length <= 25) return [200, { profiles: actors.map(blueskyProfile) }];
      return [400, { error: 'InvalidRequest', message: 'Error: actors must not have more than 25 elements' }];
    case 'social.example/api/v1/accounts/lookup':
      if (name === 'gone') return [404, { error: 'Record not found' }];
      return [200, mastodonAccount(name, name === 'banned' ? { display_name: '', note: '', suspended: true } : {})];
    default:
      return [401, { error: 'This method requires an authenticated user' }];
  }
}

const [script = '', showDid = ''] = blocks('Fetch the profiles', 'sh');
const step = (word: string) => STEPS.find(({ command }) => command.includes(word))?.command ?? '';

/** A folder with the script and the lists of accounts, and the servers. */
async function prepare(mastodon: string, bluesky: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'fetch-snapshots.sh'), script, { mode: 0o755 });
  writeFileSync(join(folder, 'mastodon.txt'), mastodon);
  writeFileSync(join(folder, 'bluesky.txt'), bluesky);
  const { cert, key, path } = makeCertificate(folder, ['social.example', 'other.example', 'public.api.bsky.app']);
  const asked: URL[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const url = new URL(request.url ?? '', `https://${request.headers.host}`);
    asked.push(url);
    const [status, body] = answerTo(url);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  writeFileSync(join(folder, '.curlrc'), `connect-to = "::127.0.0.1:${portOf(server)}"\ncacert = "${path}"\nnoproxy = "*"\n`);
  const env = { CURL_HOME: folder, PATH: machine(folder) };
  return { folder, asked, run: (command: string) => shell(command, folder, env) };
}

describe.skipIf(curl.skip || openssl.skip)('fetch-snapshots.sh in docs/nightly.md', () => {
  it('fetches profiles that the step Observe reads', async () => {
    const { folder, asked, run } = await prepare('heron@social.example\n\nmap_maker@social.example', `${ACTORS.join('\n')}\n`);
    expect(await run(step('fetch-snapshots.sh'))).toMatchObject({ status: 0, stderr: '' });
    expect(asked.map(({ searchParams }) => searchParams.getAll('actors').length)).toEqual([0, 0, 25, 2]);
    expect(await run(step('observe'))).toMatchObject({ status: 0 });
    for (const [name, text] of [
      ['heron@social.example', 'Mira Okonjo :map:'],
      ['1026.example.org', 'Maps of rivers & roads.'],
    ] as const) {
      const { results: records } = await palimpsestJson(['history', name], { cwd: folder });
      expect(records).toContainEqual(expect.objectContaining({ text }));
    }
    // a second night with the same profiles adds nothing, and the folder of the first night may stay: names of folders have seconds
    expect(await run(`/bin/sleep 1; ${step('fetch-snapshots.sh')}`)).toMatchObject({ status: 0, stderr: '' });
    const again = await run(`${step('observe')} --json`);
    expect(JSON.parse(again.stdout)).toMatchObject({
      snapshots: 58,
      unchanged: 58,
      accounts_by_outcome: { added: 0 },
      missing: { count: 0 },
    });
  });

  it('invents no change if a batch of Bluesky has another order, and the folder of the first night stays', async () => {
    const { folder, run } = await prepare('', ACTORS.join('\n'));
    await run(`${step('fetch-snapshots.sh')}; ${step('observe')}`);
    writeFileSync(join(folder, 'bluesky.txt'), ACTORS.toReversed().join('\n'));
    for (const _ of [1, 2]) {
      await run(step('fetch-snapshots.sh'));
      const { stdout } = await run(`${step('observe')} --json`);
      expect(JSON.parse(stdout)).toMatchObject({ records_by_field: { Name: 0, Bio: 0, Website: 0 }, rejected: 0, conflicts: { count: 0 } });
    }
  });

  it('continues after an account that it cannot fetch, and keeps the texts of suspended accounts', async () => {
    const { folder, run } = await prepare('gone@social.example\nbanned@social.example\nlocked@other.example\nheron@social.example\n', '');
    const { status, stdout, stderr } = await run(step('fetch-snapshots.sh'));
    expect(status).toBe(0);
    expect(stderr).toContain('not fetched: https://social.example/api/v1/accounts/lookup?acct=gone');
    expect(stderr).toContain('not fetched: https://other.example/api/v1/accounts/lookup?acct=locked');
    const [night = ''] = readdirSync(join(folder, 'snapshots'));
    expect(stdout).toBe(`snapshots/${night}\n`);
    expect(readdirSync(join(folder, 'snapshots', night))).toEqual(['banned@social.example.json', 'heron@social.example.json']);
    expect(await run(step('observe'))).toMatchObject({ status: 0, stdout: expect.stringContaining('  suspended 1 snapshot,') });
  });

  it('makes the job fail with no-source if nothing was fetched, and comes with a command that shows the DID of a handle', async () => {
    const { run } = await prepare('gone@social.example\n', '');
    expect(await run(step('fetch-snapshots.sh'))).toMatchObject({ status: 0 });
    expect(await run(step('observe'))).toMatchObject({ status: 1, stderr: expect.stringContaining('(no-source)') });
    expect(await run(showDid)).toMatchObject({ status: 0, stdout: `"did":"${ACTORS[0]}"\n` });
  });
});
