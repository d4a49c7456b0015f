import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { networkCode, type StorageErrorKind, storageErrorOf } from '../../src/storage/storage-error.ts';

describe('the StorageError of an error response', () => {
  it.each<[number, string, StorageErrorKind]>([
    // Amazon S3 and compatible stores
    [400, 'RequestTimeout', 'transient'],
    [400, 'BadDigest', 'transient'],
    [403, 'RequestTimeTooSkewed', 'transient'],
    [409, 'ConditionalRequestConflict', 'transient'],
    [429, 'TooManyRequests', 'transient'],
    [503, 'SlowDown', 'transient'],
    [504, '', 'transient'],
    [400, 'ExpiredToken', 'expired'],
    [412, 'PreconditionFailed', 'conflict'],
    [501, 'NotImplemented', 'unsupported'],
    [401, 'Unauthorized', 'denied'],
    [403, 'AccessDenied', 'denied'],
    [404, 'NoSuchKey', 'missing'],
    [301, 'PermanentRedirect', 'refused'],
    [400, 'InvalidRequest', 'refused'],
    // Azure
    [400, 'Md5Mismatch', 'transient'],
    [409, 'BlobAlreadyExists', 'conflict'],
    [400, 'PARSE_ERROR', 'refused'],
    [403, 'PARSE_ERROR', 'denied'],
    // a response with a truncated body
    [400, 'ECONNRESET', 'transient'],
    [403, 'ECONNRESET', 'transient'],
  ])('for %i %s is %s', (status, code, kind) => {
    expect(storageErrorOf(status, code, 'in words')).toMatchObject({ kind, message: [status, code, 'in words'].filter(Boolean).join(' ') });
  });
});

describe('the StorageError of a request without a response', () => {
  it.each([
    ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'EPROTO', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'HPE_INVALID_CONSTANT', 'UND_ERR_SOCKET'],
    ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_STREAM_PREMATURE_CLOSE', 'CERT_HAS_EXPIRED'],
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TimeoutError', 'AbortError'],
    ...['REQUEST_SEND_ERROR', 'PARSE_ERROR'],
  ])('is transient for %s', (code) => {
    expect(storageErrorOf(undefined, code, 'in words').kind).toBe('transient');
  });

  it.each(['', 'Error', 'TypeError', 'RangeError', 'URIError', 'ERR_INVALID_CHAR', 'ERR_INVALID_URL', 'ERR_SOCKET_BAD_PORT', 'ENOSPC'])(
    'is refused for the local error %j',
    (code) => {
      expect(storageErrorOf(undefined, code, 'in words').kind).toBe('refused');
    },
  );
});

describe('the code of a network error', () => {
  const coded = (code: string, error: Error = new Error('in words')) => Object.assign(error, { code });

  it.each<[string, Error, string | undefined]>([
    ['its code', coded('ECONNRESET'), 'ECONNRESET'],
    ['its code before its name', Object.assign(coded('ECONNRESET'), { name: 'TimeoutError' }), 'ECONNRESET'],
    ['its name', Object.assign(new Error('slow'), { name: 'TimeoutError' }), 'TimeoutError'],
    ['its cause', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'ENOTFOUND'],
    ['one of several', new AggregateError([new Error('other'), coded('EHOSTUNREACH')]), 'EHOSTUNREACH'],
    ['nothing', new Error('Region not accepted'), undefined],
    ['nothing for a local error', coded('ERR_INVALID_CHAR', new TypeError('Invalid character')), undefined],
  ])('is found in %s', (_, error, name) => {
    expect(networkCode(error)).toBe(name);
  });

  it.each([
    ['a header that cannot be sent', () => request('http://127.0.0.1:9', { headers: { 'cache-control': 'a\nb' } })],
    ['a path that cannot be encoded', () => encodeURIComponent('\ud800')],
    ['a port out of range', () => connect({ port: 70_000 })],
  ])('is not found in %s', (_, doIt) => {
    let caught: unknown;
    try {
      doIt();
    } catch (error) {
      caught = error;
    }
    if (!(caught instanceof Error)) throw new Error('nothing was thrown');
    expect(networkCode(caught)).toBeUndefined();
  });
});
