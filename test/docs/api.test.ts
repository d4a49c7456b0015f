import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/serve/server.ts';
import { EXTREME } from '../drf/samples.ts';
import { ask } from '../serve/exchange.ts';
import { temporaryFolder } from '../support/folder.ts';
import { publishVersion } from '../support/versions.ts';
import { complaints, describesHeaders, openapi, QUESTIONS, treeOf, validates } from './openapi.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    expect(await validator.validate(openapi)).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('rejects a record with a field missing, a field too many, and a value of the wrong type', () => {
    const record = EXTREME.records[0];
    expect(complaints('Record', record)).toEqual([]);
    expect(complaints('Record', { ...record, text: undefined })).toHaveLength(1);
    expect(complaints('Record', { ...record, more: 1 })).toHaveLength(1);
    expect(complaints('Record', { ...record, id: '1' })).toHaveLength(1);
    expect(complaints('Record', { ...record, first_encountered_date: '2019-08-04T07:25:00.43Z' })).not.toEqual([]);
    expect(complaints('Record', { ...record, data_type: 'Verified', text: 'yes' })).not.toEqual([]);
  });

  it('describes the answers of palimpsest serve, also with versions', async () => {
    const folder = temporaryFolder();
    const [tree, site] = [await treeOf(EXTREME, folder), join(folder, 'site')];
    for (const time of ['2026-11-20T03:00:00Z', '2026-11-21T03:00:00Z']) publishVersion(tree, site, new Date(time));
    const served = async (out: string) => {
      const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
      onTestFinished(server.close);
      return { url: server.url, send: (target: string, method: string) => ask(server.url, target, method) };
    };
    await validates((await served(tree)).send);
    const { url, send } = await served(site);
    await validates(send, [
      ...QUESTIONS,
      ['GET', '?as_of=1', 200],
      ['GET', '?page=2&as_of=2026-11-20', 404],
      ['GET', '?page=2&as_of=2026-11-21', 200],
      ['GET', '?as_of=2026-11-20T04:00:00%2B01:00', 200],
      ['GET', '?as_of=', 200],
      ['GET', '?as_of=3', 404],
      ['GET', '?as_of=yesterday', 400],
    ]);
    const answer = await send('/rest/data/?as_of=2026-11-20T04:00:00Z', 'GET');
    expect(answer.headers).toMatchObject({ 'palimpsest-version': '1', 'cache-control': 'public, max-age=3600' });
    expect(JSON.parse(answer.body.toString())).toMatchObject({ next: `${url}/rest/data/?as_of=1&page=2` });
    const past = await send('/as_of/1/rest/data/', 'GET');
    expect(JSON.parse(past.body.toString())).toMatchObject({ next: `${url}/as_of/1/rest/data/?page=2` });
  });

  it('describes the status and the headers of each kind of answer', async () => {
    const folder = temporaryFolder();
    const [tree, site] = [await treeOf(EXTREME, folder), join(folder, 'site')];
    publishVersion(tree, site, new Date('2026-11-20T03:00:00Z'));
    rmSync(join(tree, 'rest/data/page/2/index.json'));
    for (const out of [tree, site]) {
      const { url, close } = await serve({ out, host: '127.0.0.1', port: 0, rebase: false });
      onTestFinished(close);
      const unsent = out === tree ? ['Palimpsest-Version'] : [];
      const { etag = '' } = (await ask(url, '/rest/data/')).headers;
      const read = ['GET', 'HEAD'].flatMap(
        (method) =>
          [
            [method, '/rest/data/', '', 200],
            [method, '/rest/data/', '', 304],
            [method, '/rest/data/', '?page=9999', 404],
            [method, '/rest/data/', '?page=2', out === tree ? 503 : 200],
            [method, '/rest/data/', '?as_of=x', out === tree ? 200 : 400],
            [method, '/rest/data', '?page=2', 301],
          ] as const,
      );
      const others = ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, '/rest/data/', '', 405] as const);
      for (const [method, path, query, status] of [...read, ...others, ['OPTIONS', '/rest/data/', '', 200] as const]) {
        const known = { 'If-None-Match': status === 304 ? etag : '' };
        const answer = await ask(url, path + query, method, known);
        expect(answer.status, `${method} ${path}${query}`).toBe(status);
        for (const described of [path, path.replace('data', 'account')]) describesHeaders(described, method, answer, unsent);
      }
    }
  });
});

describe('docs/api.md', () => {
  const document = read('docs/api.md');
  const examples = [...document.matchAll(/^## (Page|Change record|Account|Errors)\n.*?```json\n(.*?)\n```/gms)];

  it('has an example of each schema, which is valid', () => {
    const schemas: Readonly<Record<string, string>> = {
      Page: 'RecordPage',
      'Change record': 'Record',
      Account: 'Account',
      Errors: 'Error',
    };
    expect(examples.map((match) => match[1])).toEqual(Object.keys(schemas));
    for (const [, heading = '', text = ''] of examples) expect(complaints(schemas[heading] ?? '', JSON.parse(text)), heading).toEqual([]);
  });

  it('has the record of its example from the sample', () => expect(read('data/sample/records.ndjson')).toContain(examples[1]?.[2]));

  it('has every field of every schema in its table, with its type', () => {
    for (const schema of ['RecordPage', 'Record', 'Account']) {
      const { properties } = openapi.components.schemas[schema];
      for (const [field, { type }] of Object.entries<{ readonly type?: string | readonly string[] }>(properties)) {
        const words = [type ?? 'string'].flat().join(' or ');
        expect(document, field).toMatch(new RegExp(`^\\| \`${field}\` \\| ${words} \\|`, 'm'));
      }
    }
  });
});
