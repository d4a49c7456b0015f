import { createHmac, hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { S3_KEYS } from './stores.ts';

const CONDITIONS = new Set(['if-match', 'if-none-match']);

/**
 * Returns the headers of a request to an S3 server without its condition, and signed again. A proxy that sends these makes a real
 * server one that accepts conditions and ignores them.
 */
export function withoutConditions({ method = '', url = '', headers }: IncomingMessage): IncomingHttpHeaders {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !CONDITIONS.has(name)));
  const { authorization = '' } = headers;
  const [, credential = '', signed = ''] = /Credential=([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const names = signed.split(';').filter((name) => !CONDITIONS.has(name));
  const [path, query = ''] = url.split('?');
  const values = names.map((name) => `${name}:${String(headers[name])}`);
  const canonical = [method, path, query, ...values, '', names.join(';'), headers['x-amz-content-sha256']].join('\n');
  const [, ...scope] = credential.split('/');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope.join('/'), hash('sha256', canonical)].join('\n');
  const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.reduce(hmac, Buffer.from(`AWS4${S3_KEYS['AWS_SECRET_ACCESS_KEY']}`));
  const signature = hmac(key, text).toString('hex');
  return { ...kept, authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}` };
}
