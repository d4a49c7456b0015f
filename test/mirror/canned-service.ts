import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { portOf } from '../publish/stores.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A service whose answers the test writes, by request target. */
export interface CannedService {
  readonly baseUrl: string;
  /** Answers by target, such as `/rest/data/?page=2`; a function answers for itself. */
  readonly answers: Map<string, unknown>;
  /** The targets in the order in which they were asked for. */
  readonly asked: string[];
  /** Called before each answer. */
  onRequest: () => void;
  /** Headers of the last request. */
  headers: IncomingMessage['headers'];
}

export async function startCannedService(): Promise<CannedService> {
  const server = createServer((request, response) => {
    const target = request.url ?? '';
    service.asked.push(target);
    service.headers = request.headers;
    service.onRequest();
    const answer = service.answers.get(target);
    if (typeof answer === 'function') return void answer(response, request);
    if (answer === undefined) return void response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"detail":"Not found."}');
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  const service: CannedService = { baseUrl, answers: new Map(), asked: [], headers: {}, onRequest: () => {} };
  return service;
}

/** Starts a server that ends with the test. Returns its port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return portOf(server);
}

/** Starts a service with this number of records of one account, ten on a page. The store does not exist yet. */
export async function serviceOf(count: number): Promise<{ readonly service: CannedService; readonly store: string }> {
  const service = await startCannedService();
  serve(service, recordsTo(count));
  return { service, store: join(temporaryFolder(), 'store.db') };
}

/** Answers with a status, headers and no page. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => response.writeHead(code, headers).end();
}

/** Has the service give one answer to everything, from the first request for a target on. */
export function failFrom(service: CannedService, target: string, answer: (response: ServerResponse) => unknown): void {
  service.answers.set(target, (response: ServerResponse) => {
    for (const one of service.answers.keys()) service.answers.set(one, answer);
    return answer(response);
  });
}

export const record = (id: number, more: object = {}) => bioRecord(id, { text: `text ${id}`, ...more });

export const account = (screen_name: string, data: readonly object[], more: object = {}) => ({
  screen_name,
  account_creation_date: null,
  profile_image_url: '',
  data,
  data_page_count: 1,
  display_name: '',
  website: null,
  location: '',
  bio: '',
  ...more,
});

/** The records with the ids from the newest to 1. */
export const recordsTo = (newest: number) => Array.from({ length: newest }, (_, index) => record(newest - index));

/** Has the service show records, newest first, and their accounts, each with its records. */
export function serve(service: CannedService, records: readonly ReturnType<typeof record>[], size = 10, accountSize = 100): void {
  const names = [...new Set(records.toReversed().map((one) => one.account))];
  const dataOf = (name: string) => records.filter((one) => one.account === name);
  show(service, 'data', records, size);
  show(
    service,
    'account',
    names.map((name) => account(name, dataOf(name))),
    accountSize,
  );
}

/** Has the service show a collection in pages. */
export function show(service: CannedService, collection: 'data' | 'account', items: readonly unknown[], size = 100): void {
  const address = (page: number) => `/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
  const pages = Math.max(1, Math.ceil(items.length / size));
  for (let page = 1; page <= pages; page += 1) {
    service.answers.set(address(page), {
      count: items.length,
      next: page < pages ? service.baseUrl + address(page + 1) : null,
      previous: page > 1 ? service.baseUrl + address(page - 1) : null,
      results: items.slice((page - 1) * size, page * size),
    });
  }
}
