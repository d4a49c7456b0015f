import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withVersions } from '../../src/hosting/find-host.ts';
import { CAPABILITIES, type Host, PAGE_HEADERS, type PublishedSite } from '../../src/rewrite/hosts/host.ts';
import { allHosts, REFUSED } from '../../src/rewrite/hosts/registry.ts';
import { inlined, type Program } from '../../src/rewrite/inlined-modules.ts';
import { PROGRAM } from '../support/palimpsest.ts';

const HOSTS = await allHosts();
const program: Program = (name) => readFileSync(join(PROGRAM, `dist/rewrite/${name}.js`), 'utf8');
const site = (base: string, browse = false, hasVersions = false): PublishedSite => ({
  origin: 'https://example.org',
  domain: 'example.org',
  base,
  browse,
  hasVersions,
  program,
});

/** What only a mistake in a template renders. */
const MISTAKE = /undefined(?! [?:]|\)|;| &&| \|\|| })|\[object|NaN|[ \t]$/m;

/** The lines of a script before the program that is the same on every host. */
const ownPart = (text: string) => text.replace(/^\/\/ The rest is the same on every host[\s\S]*/m, '');

const textOf = ({ render }: Pick<Host, 'render'>, base = '', browse = false, hasVersions = false) =>
  render(site(base, browse, hasVersions))
    .map(({ text }) => text)
    .join('\n');

/** The hosts that run JavaScript. */
const SCRIPTS = HOSTS.filter((host) => ownPart(textOf(host)) !== textOf(host));
const OTHERS = HOSTS.filter((host) => !SCRIPTS.includes(host));

describe.each(HOSTS.map((host) => [host.name, host] as const))('%s', (_, host) => {
  test('renders the same files each time, each with its place', () => {
    const files = host.render(site('/api'));
    expect(host.render(site('/api'))).toEqual(files);
    expect(files.length).toBeGreaterThan(0);
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
    for (const { path, where, text } of files) {
      expect(path).toMatch(/^[\w.-]+(\/[\w.-]+)*$/);
      expect(where.length).toBeGreaterThan(10);
      expect(text).not.toMatch(/[ \t]$/m);
      expect(ownPart(text)).not.toMatch(MISTAKE);
    }
  });

  test('renders patterns for browse files only if the tree has them', () => {
    if (OTHERS.includes(host)) expect(textOf(host, '/api')).not.toContain('browse/');
    expect(textOf(host, '/api', true)).toContain('browse');
    expect(ownPart(textOf(host, '/api', true))).not.toMatch(MISTAKE);
  });

  test('has steps that name each of its files, or no steps if it is set up by hand', () => {
    for (const { path } of host.steps.some((step) => step.startsWith('cp ')) ? host.render(site('', true)) : [])
      expect(host.steps.join('\n')).toContain(path.replace(/^errors\/.*/, 'errors/*'));
    for (const step of host.steps) expect(step).not.toMatch(/undefined| {2}|^$/);
  });

  test('renders files for the path of the base URL', () => {
    expect(textOf(host, '/zzz-where/v2')).toMatch(/\/zzz\\?-where\/v2/);
    expect(textOf(host)).not.toContain('zzz');
  });
});

const ORIGIN = 'https://bucket.store.example:8443/some/where';

describe.each(HOSTS.flatMap(({ name, atOrigin }) => (atOrigin === undefined ? [] : [[name, atOrigin] as const])))(
  '%s before an origin',
  (_, { render }) => {
    const textBefore = (origin = ORIGIN, base = '') =>
      render(site(base), { url: new URL(origin), encodings: [] })
        .map(({ text }) => text)
        .join('\n');

    test('requests files below the path of the origin, for any path of the base URL', () => {
      for (const base of ['', '/zzz-where/v2']) {
        expect(textBefore(ORIGIN, base)).toContain('https://bucket.store.example:8443/some/where/rest/');
        expect(textBefore('http://bucket.store.example:8443', base)).toContain('http://bucket.store.example:8443/rest/');
      }
      expect(textBefore(ORIGIN, '/zzz-where/v2')).toMatch(/\/zzz\\?-where\/v2/);
      expect(textBefore()).not.toMatch(/undefined|\[object|NaN|[ \t]$/m);
    });
  },
);

const readVersions = HOSTS.filter((host) => host.withVersions !== undefined);
const VERSIONED = await Promise.all(readVersions.map(async (host) => [host.name, await withVersions(host)] as const));

describe.each(VERSIONED)('%s with versions', (_, host) => {
  test('renders files for the path of the base URL, with the program that reads versions', () => {
    const text = textOf(host, '', true, true);
    expect(textOf(host, '/zzz-where/v2', true, true)).toMatch(/\/zzz\\?-where\/v2/);
    expect(text).not.toContain('zzz');
    expect(text.split('function inVersions(').length).toBe(2);
    expect(text).not.toContain('function inFiles(');
    for (const file of host.render(site('', true, true))) expect(ownPart(file.text)).not.toMatch(MISTAKE);
  });
});

test('the other hosts are refused with a reason if the site has versions', async () => {
  const others = HOSTS.filter((host) => host.withVersions === undefined);
  expect([VERSIONED, others]).not.toContainEqual([]);
  for (const host of others) await expect(withVersions(host), host.name).rejects.toThrow(expect.objectContaining({ code: 'host-refused' }));
});

test('every host has a reason for each missing capability, and lists no capability as both missing and untested', () => {
  const origins = HOSTS.flatMap(({ name, atOrigin }) => (atOrigin === undefined ? [] : [{ name, cannot: atOrigin.cannot }]));
  const all: readonly Pick<Host, 'name' | 'cannot' | 'untested'>[] = [...HOSTS, ...origins, ...VERSIONED.map(([, host]) => host)];
  for (const { name, cannot, untested = {} } of all) {
    for (const [capability, reason] of [...Object.entries(cannot), ...Object.entries(untested)]) {
      expect(Object.keys(CAPABILITIES), name).toContain(capability);
      expect(reason.length, name).toBeGreaterThan(15);
    }
    for (const capability of Object.keys(untested)) expect(cannot, name).not.toHaveProperty(capability);
  }
});

describe('hosts that run JavaScript', () => {
  test.each(SCRIPTS.map((host) => [host.name, host] as const))('%s contains the compiled rewrite function exactly once', (_, host) => {
    expect(textOf(host).split(inlined(program, 'resolve').split('\n').slice(2).join('\n').trim()).length).toBe(2);
  });

  test('are all hosts without patterns', () => {
    expect([SCRIPTS, OTHERS]).not.toContainEqual([]);
    for (const host of OTHERS) expect(textOf(host), host.name).not.toContain('function ');
    for (const host of OTHERS) expect(textOf(host, '/api'), host.name).toContain('[1-9][0-9]{0,14}');
  });

  test.each([
    ['cloudfront-functions', 2, 10_240, false],
    ['cloudflare-workers', 1, 17_000, true],
  ])('the scripts for %s are small enough', async (name, count, limit, hasVersions) => {
    const host = HOSTS.find((one) => one.name === name);
    const rendered = hasVersions && host !== undefined ? await withVersions(host) : host;
    const scripts = rendered?.render(site('/a/path/of/some/length', true, hasVersions)).filter(({ path }) => path.endsWith('.js')) ?? [];
    expect(scripts.length).toBe(count);
    for (const { text } of scripts) expect(Buffer.byteLength(text)).toBeLessThan(limit);
  });
});

describe('the headers of the API', () => {
  test('are in the files of every host', () => {
    for (const host of HOSTS) {
      const text = textOf(host);
      for (const [name, value] of Object.entries(PAGE_HEADERS)) {
        // the scripts combine the two parts of Vary
        for (const part of name === 'Vary' ? value.split(', ') : [value]) expect(text, `${host.name}: ${name}`).toContain(part);
        // nginx sets Content-Type from default_type
        if (name !== 'Content-Type') expect(text.toLowerCase(), host.name).toContain(name.toLowerCase());
      }
    }
  });
});

test('all host names are unique', () => {
  const names = [...HOSTS, ...REFUSED].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('every refused host has a reason and an alternative', () => {
  for (const { reason, instead } of REFUSED) {
    expect(reason).toContain('page 1');
    expect(HOSTS.some(({ title, name }) => instead.includes(title) || instead.includes(name))).toBe(true);
  }
});
