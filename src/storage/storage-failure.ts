import { Failure } from '../contract/failure.ts';
import { StorageError, type StorageErrorKind } from './storage-error.ts';

const HINTS: { readonly [K in StorageErrorKind]: string } = {
  transient: 'check the network and the target, then run the same command again',
  expired: 'get new credentials, then run the same command again',
  conflict: 'make sure that no other program writes there, then run the same command again',
  unsupported: 'check the address of the store and --endpoint',
  anonymous:
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; at Azure AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING; docs/publish.md in the package describes the other ways',
  denied: 'check the credentials and their permissions: read, write, delete and list (without list, S3 answers 403 for a missing object)',
  missing: 'create the bucket or container first, and check --endpoint and --region',
  'no-region': 'name the region of the bucket with --region or AWS_REGION, then run the same command again',
  refused: 'check the address, --endpoint and --region',
};

/** Hints for a URL, if they differ. */
const WEB_HINTS: { readonly [K in StorageErrorKind]?: string } = {
  transient: 'check the network and the address, then run the same command again',
  conflict: 'the file changed while it was read: run the same command again',
  denied: 'download the file with a browser or another program that can log in, and name the downloaded file',
  missing: 'check the address',
  refused: 'check the address, or download the file with another program and name the downloaded file',
};

const EXPECTED: { readonly [K in StorageErrorKind]?: string } = {
  anonymous: 'credentials for the target',
  'no-region': 'the region of the bucket',
};

/**
 * Converts a StorageError to a Failure with the path and a hint. Returns any other error unchanged.
 * @param path of the object; '' for the target itself
 */
export function toFailure(
  { name: target, kind = 'store' }: { readonly name: string; readonly kind?: 'store' | 'web' },
  path: string,
  error: unknown,
): unknown {
  if (!(error instanceof StorageError)) return error;
  const isDenied = error.kind === 'denied' || error.kind === 'anonymous' || error.kind === 'expired';
  const isUnsent = error.kind === 'anonymous' || error.kind === 'no-region';
  const message = isUnsent ? `no request can be sent to ${target}` : `a request to ${target} failed`;
  return new Failure(isDenied ? 'target-denied' : 'target-failed', message, {
    place: { file: path === '' ? target : path },
    expected: EXPECTED[error.kind] ?? (isDenied ? 'credentials that allow this request' : 'a successful response'),
    found: error.message,
    hint: (kind === 'web' ? WEB_HINTS : HINTS)[error.kind] ?? HINTS[error.kind],
    cause: error,
  });
}

/** Returns the kind of the StorageError that caused a Failure; undefined for any other error. */
export function storageErrorKind(error: unknown): StorageErrorKind | undefined {
  return error instanceof Failure && error.cause instanceof StorageError ? error.cause.kind : undefined;
}
