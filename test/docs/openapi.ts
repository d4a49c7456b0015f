import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import type { Exchange } from '../serve/exchange.ts';
import type { History } from '../support/histories.ts';
import { buildTree, importHistory } from '../verify/good-tree.ts';

/** The document. */
export const openapi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

const ajv = new Ajv2020({ strict: false, allErrors: true, schemas: { 'openapi.json': openapi } });
addFormats.default(ajv);

/** What is wrong with a value by a schema of the document; nothing where it is valid. */
export function complaints(schema: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`openapi.json#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`docs/openapi.json has no schema ${schema}`);
  return validate(value) === true ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What the document says of an answer. */
function answerOf(path: string, method: string, status: number) {
  const answer = openapi.paths[path]?.[method.toLowerCase()]?.responses?.[status];
  expect(answer, `${method} ${path} with ${status} in docs/openapi.json`).toBeDefined();
  return openapi.components.responses[String(answer.$ref).replace('#/components/responses/', '')] ?? answer;
}

/** Compares the headers of an answer with those that the document describes for it. @param unsent the headers that the service never sends */
export function describesHeaders(path: string, method: string, { status, headers }: Exchange, unsent: readonly string[]): void {
  const described = Object.keys(answerOf(path, method, status).headers).filter((name) => !unsent.includes(name));
  const sent = Object.keys(openapi.components.headers).filter((name) => headers[name.toLowerCase()] !== undefined);
  expect(sent.toSorted(), `${method} ${path} with ${status}`).toEqual(described.toSorted());
  for (const name of sent) {
    const { schema } = openapi.components.headers[name];
    if (schema.const !== undefined) expect(headers[name.toLowerCase()], name).toBe(schema.const);
  }
}

/** The schema that the document gives for an answer. */
function schemaOf(path: string, method: string, status: number): string {
  const answer = answerOf(path, method, status);
  const $ref = expect.stringMatching(/^#\/components\/schemas\/\w+$/);
  expect(answer, `${method} ${path} with ${status} in docs/openapi.json`).toMatchObject({
    content: { 'application/json': { schema: { $ref } } },
  });
  return String(answer.content['application/json'].schema.$ref).replace('#/components/schemas/', '');
}

/** A method, a query, and the status of the answer. */
type Question = readonly [method: string, query: string, status: number];

/** What a service without versions is asked. */
export const QUESTIONS: readonly Question[] = [
  ['GET', '', 200],
  ['GET', '?page=2', 200],
  ['GET', '?page=last', 200],
  ['GET', '?page=0', 404],
  ['GET', '?page=9999', 404],
  ['OPTIONS', '', 200],
  ['POST', '', 405],
];

/** Asks a service everything that the document describes, and validates each answer. */
export async function validates(
  send: (target: string, method: string) => Promise<Exchange>,
  questions: readonly Question[] = QUESTIONS,
): Promise<void> {
  for (const collection of COLLECTIONS) {
    const path = `/rest/${collection}/`;
    for (const [method, query, status] of questions) {
      const answer = await send(path + query, method);
      const name = `${method} ${path}${query}`;
      expect(answer.status, name).toBe(status);
      expect(answer.headers, name).toMatchObject({
        'content-type': 'application/json',
        allow: openapi.components.headers.Allow.schema.const,
      });
      expect(answer.headers['vary'], name).toContain('Accept');
      expect(complaints(schemaOf(path, method, status), JSON.parse(answer.body.toString())), name).toEqual([]);
    }
  }
}

/** Builds a tree of small pages from a history. */
export async function treeOf(history: History, folder: string, base_url = 'https://history.example'): Promise<string> {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await importHistory(store, history);
  await buildTree(store, out, { base_url, page_size: 2, account_page_size: 1 });
  return out;
}
