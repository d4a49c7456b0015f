import { Failure } from '../contract/failure.ts';
import { StorageError, type StorageErrorKind } from './storage-error.ts';

const HINTS: { readonly [K in StorageErrorKind]: string } = {
  transient: 'check the network and the target, then run the same command again',
  expired: 'get new credentials, then run the same command again',
  conflict: 'make sure that no other program writes there, then run the same command again',
  unsupported: 'check the address of the store and --endpoint',
  anonymous:
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; at Azure AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING; docs/publish.md describes the other ways',
  denied: 'check the credentials and their permissions: read, write, delete and list (without list, S3 answers 403 for a missing object)',
  missing: 'create the bucket or container first, and check --endpoint and --region',
  refused: 'check the address, --endpoint and --region',
};

/**
 * Converts a StorageError to a Failure with the path and a hint. Returns any other error unchanged.
 * @param target the name of the target
 */
export function toFailure(target: string, path: string, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  const isDenied = error.kind === 'denied' || error.kind === 'anonymous' || error.kind === 'expired';
  return new Failure(isDenied ? 'target-denied' : 'target-failed', `a request to ${target} failed`, {
    place: { file: path },
    expected: isDenied ? 'credentials that allow it' : 'a response that confirms it',
    found: error.message,
    hint: HINTS[error.kind],
    cause: error,
  });
}

/** Returns the kind of the StorageError that caused a Failure; undefined for any other error. */
export function storageErrorKind(error: unknown): StorageErrorKind | undefined {
  return error instanceof Failure && error.cause instanceof StorageError ? error.cause.kind : undefined;
}
