import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** A service whose answers the test writes, by request target. */
export interface CannedService {
  readonly baseUrl: string;
  /** Answers by target, such as `/rest/data/?page=2`; a function answers for itself. */
  readonly answers: Map<string, unknown>;
  /** The targets in the order in which they were asked for. */
  readonly asked: string[];
  /** Headers of the last request. */
  headers: IncomingMessage['headers'];
}

export async function startCannedService(): Promise<CannedService> {
  const server = createServer((request, response) => {
    const target = request.url ?? '';
    service.asked.push(target);
    service.headers = request.headers;
    const answer = service.answers.get(target);
    if (typeof answer === 'function') return void answer(response, request);
    if (answer === undefined) return void response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"detail":"Not found."}');
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const service: CannedService = { baseUrl: `http://127.0.0.1:${port}`, answers: new Map(), asked: [], headers: {} };
  return service;
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

export const record = (id: number, more: object = {}) => ({
  id,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: `text ${id}`,
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
  ...more,
});

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
