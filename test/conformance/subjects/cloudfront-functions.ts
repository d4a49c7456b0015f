import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isObject } from '../../../src/contract/json.ts';
import { host } from '../../../src/rewrite/hosts/cloudfront-functions.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { program, releaseFrom } from '../child.ts';
import type { Subject } from '../subject.ts';
import { conditional, startBucket } from './static-origin.ts';

export const cloudfrontFunctions: Subject = {
  host,
  needs: program('njs'),
  release: () => `njs ${releaseFrom('njs', ['-v'], /([\d.]+)/)}`,
  start: async ({ files, tree, work }) => {
    const bucket = join(work, 'bucket');
    mkdirSync(bucket);
    for (const name of ['rest', 'browse', 'index.html']) symlinkSync(join(tree, name), join(bucket, name));
    writeFileSync(join(bucket, 'invalid-page.json'), readFileSync(join(files, 'invalid-page.json')));
    const origin = await startBucket(bucket);
    const [viewerRequest, viewerResponse] = ['viewer-request.js', 'viewer-response.js'].map(
      (name) => new EdgeFunction(join(files, name), join(work, name)),
    ) as [EdgeFunction, EdgeFunction];
    const errors: unknown = JSON.parse(readFileSync(join(files, 'custom-error-responses.json'), 'utf8'));

    const ask = async (target: string, method = 'GET', sent: Readonly<Record<string, string>> = {}): Promise<Exchange> => {
      const [uri = '', query = ''] = target.split(/\?(.*)/s);
      const accept = sent['Accept'];
      const asked = accept === undefined ? {} : { accept: { value: accept } };
      const request = { method, uri, querystring: parameters(query), headers: asked, cookies: {} };
      const answered = await viewerRequest.run({ version: '1.0', context: { eventType: 'viewer-request' }, request });
      if ('statusCode' in answered) return exchange(answered, method);
      const found = await origin.ask(String(answered['uri']), method, conditional(sent));
      const custom = errorResponse(errors, found.status);
      // CloudFront does not call a viewer response function for errors
      if (custom !== undefined) return { ...(await origin.ask(custom.path, method)), status: custom.status };
      const headers = Object.fromEntries(Object.entries(found.headers).map(([name, value]) => [name, { value: String(value) }]));
      const response = await viewerResponse.run({ version: '1.0', request, response: { statusCode: found.status, headers } });
      return { ...found, headers: plain(response['headers']) };
    };
    return { ask, stop: origin.child.stop };
  },
};

type Json = { readonly [key: string]: unknown };

interface Waiting {
  readonly event: object;
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
}

/** A function in njs, which has the dialect of CloudFront. One process of njs answers all events that came meanwhile. */
class EdgeFunction {
  readonly #file: string;
  readonly #script: string;
  #waiting: Waiting[] = [];
  #isRunning = false;

  /** @param script the path of the script that njs runs */
  constructor(file: string, script: string) {
    this.#file = file;
    this.#script = script;
  }

  /** Calls the function. */
  run(event: object): Promise<Json> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject });
      if (!this.#isRunning) void this.#answerAll();
    });
  }

  async #answerAll(): Promise<void> {
    this.#isRunning = true;
    await setImmediate();
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      try {
        const values = await this.#call(asked.map(({ event }) => event));
        for (const [index, { event, resolve, reject }] of asked.entries()) {
          const value = values[index];
          if (isObject(value)) resolve(value);
          else reject(new Error(`${this.#file} on ${JSON.stringify(event)}: ${JSON.stringify(value)}`));
        }
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #call(events: readonly object[]): Promise<readonly unknown[]> {
    // console.log of njs breaks long lines
    const answers = `${this.#script}on`;
    const calls = `JSON.stringify(${JSON.stringify(events)}.map((event) => handler(event)))`;
    const last = `require('fs').writeFileSync(${JSON.stringify(answers)}, ${calls});`;
    writeFileSync(this.#script, `${readFileSync(this.#file, 'utf8')}\n${last}`);
    await promisify(execFile)('njs', [this.#script]);
    const values: unknown = JSON.parse(readFileSync(answers, 'utf8'));
    if (!Array.isArray(values)) throw new Error(`${this.#file} on ${JSON.stringify(events)}`);
    return values;
  }
}

/** Splits a query as CloudFront does: undecoded parameters, with repeated values in `multiValue`. */
function parameters(query: string): { readonly [name: string]: { readonly value: string; readonly multiValue?: readonly object[] } } {
  const values = new Map<string, string[]>();
  for (const parameter of query.split('&').filter((piece) => piece !== '')) {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [
      name,
      { value: all[0] ?? '', ...(all.length > 1 ? { multiValue: all.map((value) => ({ value })) } : {}) },
    ]),
  );
}

function exchange(answered: { readonly [key: string]: unknown }, method: string): Exchange {
  const body = isObject(answered['body']) ? String(answered['body']['data']) : '';
  return { status: Number(answered['statusCode']), headers: plain(answered['headers']), body: Buffer.from(method === 'HEAD' ? '' : body) };
}

function plain(headers: unknown): Record<string, string> {
  if (!isObject(headers)) throw new Error(`no headers: ${JSON.stringify(headers)}`);
  return Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, isObject(header) ? String(header['value']) : '']));
}

function errorResponse(errors: unknown, status: number): { readonly path: string; readonly status: number } | undefined {
  const items: unknown = isObject(errors) ? errors['Items'] : undefined;
  const item: unknown = Array.isArray(items) ? items.find((one: unknown) => isObject(one) && one['ErrorCode'] === status) : undefined;
  return isObject(item) ? { path: String(item['ResponsePagePath']), status: Number(item['ResponseCode']) } : undefined;
}
