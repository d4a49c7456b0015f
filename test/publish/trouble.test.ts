import { describe, expect, it } from 'vitest';
import { type TroubleKind, troubleOf } from '../../src/publish/trouble.ts';

describe('the trouble that an answer means', () => {
  it.each<[number, string, TroubleKind]>([
    // Amazon's and what speaks its language
    [400, 'RequestTimeout', 'passing'],
    [400, 'BadDigest', 'passing'],
    [400, 'IncompleteBody', 'passing'],
    [403, 'RequestTimeTooSkewed', 'passing'],
    [409, 'ConditionalRequestConflict', 'passing'],
    [409, 'OperationAborted', 'passing'],
    [429, 'TooManyRequests', 'passing'],
    [500, 'InternalError', 'passing'],
    [503, 'SlowDown', 'passing'],
    [503, 'ServiceUnavailable', 'passing'],
    [504, '', 'passing'],
    [400, 'ExpiredToken', 'expired'],
    [400, 'TokenRefreshRequired', 'expired'],
    [400, 'InvalidToken', 'expired'],
    [412, 'PreconditionFailed', 'conflict'],
    [501, 'NotImplemented', 'unsupported'],
    [401, 'Unauthorized', 'denied'],
    [403, 'AccessDenied', 'denied'],
    [403, 'SignatureDoesNotMatch', 'denied'],
    [403, 'InvalidAccessKeyId', 'denied'],
    [404, 'NoSuchKey', 'missing'],
    [404, 'NoSuchBucket', 'missing'],
    [301, 'PermanentRedirect', 'refused'],
    [400, 'InvalidRequest', 'refused'],
    [400, 'AuthorizationHeaderMalformed', 'refused'],
    // Azure's
    [400, 'Md5Mismatch', 'passing'],
    [500, 'OperationTimedOut', 'passing'],
    [503, 'ServerBusy', 'passing'],
    [409, 'BlobAlreadyExists', 'conflict'],
    [412, 'ConditionNotMet', 'conflict'],
    [401, 'InvalidAuthenticationInfo', 'denied'],
    [403, 'AuthenticationFailed', 'denied'],
    [403, 'AuthorizationPermissionMismatch', 'denied'],
    [404, 'BlobNotFound', 'missing'],
    [404, 'ContainerNotFound', 'missing'],
    [400, 'InvalidHeaderValue', 'refused'],
  ])('takes %i %s for %s', (status, code, kind) => {
    expect(troubleOf(status, code, 'in words')).toMatchObject({ kind, message: [status, code, 'in words'].filter(Boolean).join(' ') });
  });
});
