import type { HeadObjectCommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import { codeOf } from '../../contract/failure.ts';
import { isObject } from '../../contract/json.ts';
import { errorConverter, ifFound, networkCode, StorageError, storageErrorOf } from '../storage-error.ts';
import type { ObjectHead, Upload } from '../target.ts';

/** The name of the object metadata that palimpsest writes for later runs. */
const DIGEST = 'palimpsest-sha256';

export function noRanges(): StorageError {
  return new StorageError('unsupported', 'no support for ranges of bytes');
}

export function headersOf({
  headers,
  digest,
}: Omit<Upload, 'bytes'>): Pick<PutObjectCommandInput, 'ContentType' | 'CacheControl' | 'ContentEncoding' | 'Metadata'> {
  return {
    ContentType: headers.contentType,
    CacheControl: headers.cacheControl,
    ...(headers.contentEncoding === '' ? {} : { ContentEncoding: headers.contentEncoding }),
    Metadata: { [DIGEST]: digest },
  };
}

/** Returns the metadata of an object from the response to a HEAD request. */
export function headOf({ Metadata, ContentType, CacheControl, ContentEncoding }: HeadObjectCommandOutput): ObjectHead {
  return {
    digest: Metadata?.[DIGEST],
    headers: { contentType: ContentType ?? '', cacheControl: CacheControl ?? '', contentEncoding: ContentEncoding ?? '' },
  };
}

/** Converts an error of the client to a StorageError, whose message does not contain the request. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error)) return new StorageError('refused', 'the client threw a value that is not an Error');
  if (error.name === 'CredentialsProviderError') return new StorageError('anonymous', 'no credentials');
  // the client opens only files with credentials
  if (codeOf(error) === 'ENOENT') return new StorageError('anonymous', error.message);
  if (error.message === 'Region is missing') return new StorageError('no-region', 'no region');
  return storageErrorOf(
    statusOf(error),
    networkCode(error) ?? (error.name === 'Error' ? (codeOf(error) ?? '') : error.name),
    error.message,
  );
}

/** Makes a request with the client, and converts its error. */
export const convertErrors: ReturnType<typeof errorConverter> = errorConverter(toStorageError);

/** Makes a request for an object that may not exist. */
export function orUndefined<T>(request: () => Promise<T>): Promise<T | undefined> {
  return ifFound(convertErrors(request), 'NoSuchBucket');
}

export function statusOf(error: unknown): number | undefined {
  const metadata = isObject(error) && isObject(error['$metadata']) ? error['$metadata'] : {};
  return typeof metadata['httpStatusCode'] === 'number' ? metadata['httpStatusCode'] : undefined;
}
