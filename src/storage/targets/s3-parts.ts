import { createHash } from 'node:crypto';
import type { CreateMultipartUploadCommandInput, S3Client } from '@aws-sdk/client-s3';
import { StorageError } from '../storage-error.ts';
import type { PartsUpload } from '../target.ts';
import { convertErrors } from './s3-conversions.ts';

interface S3Parts {
  readonly sdk: typeof import('@aws-sdk/client-s3');
  /** Returns the client with the current credentials. */
  readonly client: () => S3Client;
  readonly object: { readonly Bucket: string; readonly Key: string };
  readonly headers: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'>;
  /** Whether the object has the content of this upload. */
  readonly isThere: (signal: AbortSignal) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Begins a multipart upload. S3 limits one request to 5 GiB, and an object in parts to 10,000 parts. */
export async function beginS3Parts({ sdk, client, object, headers, isThere, signal }: S3Parts): Promise<PartsUpload> {
  const { UploadId } = await convertErrors(() =>
    client().send(new sdk.CreateMultipartUploadCommand({ ...object, ...headers }), { abortSignal: signal }),
  );
  return {
    put: async ({ number }, bytes, sending) => {
      const part = { ...object, UploadId, PartNumber: number, Body: bytes, ContentLength: bytes.length };
      const request = new sdk.UploadPartCommand({ ...part, ContentMD5: createHash('md5').update(bytes).digest('base64') });
      const { ETag } = await convertErrors(() => client().send(request, { abortSignal: sending }));
      return ETag ?? '';
    },
    complete: async (tags, sending) => {
      const Parts = tags.map((ETag, index) => ({ PartNumber: index + 1, ETag }));
      const request = new sdk.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } });
      try {
        await convertErrors(() => client().send(request, { abortSignal: sending }));
      } catch (error) {
        // the response to an earlier attempt was lost: the store no longer knows the upload
        if (!(error instanceof StorageError) || error.kind !== 'missing' || !(await isThere(sending))) throw error;
      }
    },
    abort: async (sending) => {
      await convertErrors(() => client().send(new sdk.AbortMultipartUploadCommand({ ...object, UploadId }), { abortSignal: sending }));
    },
  };
}
