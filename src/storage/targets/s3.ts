import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ListMultipartUploadsCommand, ListObjectsV2CommandInput, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { loadClient } from '../client-library.ts';
import { type ByteRange, bodyOf, type ListedObject, type ObjectBody, type ObjectPage, type ObjectSource } from '../object-source.ts';
import { StorageError } from '../storage-error.ts';
import type { Access, Address, Condition, Fetched, ObjectHead, OpenUpload, PartsUpload, Target, TargetKind, Upload } from '../target.ts';
import { convertErrors, headersOf, headOf, noRanges, orUndefined, statusOf, toStorageError } from './s3-conversions.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** Amazon S3 and compatible stores. The client finds and refreshes credentials by itself. */
export const s3: TargetKind = {
  scheme: 's3',
  open: async (address, access) =>
    new S3Target(await loadClient('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3')), address, access),
};

class S3Target implements Target, ObjectSource {
  readonly name: string;
  readonly kind = 'store';
  /** Amazon's prices for the Standard class. */
  readonly prices = { write: 0.000005, read: 0.0000004 };
  readonly keepsHeaders = true;
  keepsDeleted = false;
  readonly #sdk: Sdk;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #access: Access;
  #client: S3Client;
  /** Ceph compares If-Match with the tag without its quotes, Amazon with them. */
  #isUnquoted = false;

  constructor(sdk: Sdk, address: Address, access: Access) {
    this.#sdk = sdk;
    this.name = address.name;
    this.#bucket = address.container;
    this.#prefix = address.prefix;
    this.#access = access;
    this.#client = this.#connect();
  }

  #connect(): S3Client {
    const { endpoint, region, connections } = this.#access;
    const agent = { keepAlive: true, maxSockets: connections };
    const config: S3ClientConfig & { readonly ignoreCache: boolean } = {
      // passed to the credential provider: the credential files may have changed
      ignoreCache: true,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      // other stores have no regions and accept any
      ...(region !== undefined ? { region } : endpoint !== undefined ? { region: 'us-east-1' } : {}),
      // the newer default checksums fail at stores that do not support them; all stores support Content-MD5
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 1,
      requestHandler: { httpAgent: agent, httpsAgent: agent },
    };
    return new this.#sdk.S3Client(config);
  }

  async get(path: string, signal: AbortSignal, range?: ByteRange): Promise<Fetched | undefined> {
    return orUndefined(async () => {
      const input = { ...this.#object(path), ...(range === undefined ? {} : { Range: `bytes=${range.from}-${range.to - 1}` }) };
      const response = await this.#client.send(new this.#sdk.GetObjectCommand(input), { abortSignal: signal });
      if (range !== undefined && !response.ContentRange?.startsWith(`bytes ${range.from}-`)) throw noRanges();
      const { buffer, byteOffset, length } = (await response.Body?.transformToByteArray()) ?? Buffer.of();
      // shares the memory: a manifest has about 100 bytes for each page of a large tree
      return { bytes: Buffer.from(buffer, byteOffset, length), contentEncoding: response.ContentEncoding ?? '', tag: response.ETag ?? '' };
    });
  }

  async head(path: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    return orUndefined(async () => {
      const request = new this.#sdk.HeadObjectCommand(this.#object(path));
      const response = await this.#client.send(request, { abortSignal: signal }).catch((error: unknown) => {
        // an expired session gets the response 400, which for HEAD has no body with the reason
        throw statusOf(error) === 400 ? new StorageError('denied', '400, without a reason') : error;
      });
      return headOf(response);
    });
  }

  async put(path: string, upload: Upload, signal: AbortSignal, condition?: Condition): Promise<string> {
    try {
      return await convertErrors(async () => {
        const response = await this.#client.send(
          new this.#sdk.PutObjectCommand({
            ...this.#object(path),
            Body: upload.bytes,
            ContentLength: upload.bytes.length,
            ContentMD5: createHash('md5').update(upload.bytes).digest('base64'),
            ...headersOf(upload),
            ...(condition === undefined ? {} : condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: this.#ifMatch(condition.tag) }),
          }),
          { abortSignal: signal },
        );
        // a bucket whose versioning was suspended sends 'null': it still has what was deleted before
        if (response.VersionId !== undefined) this.keepsDeleted = true;
        return response.ETag ?? '';
      });
    } catch (error) {
      const mayNeedUnquoted =
        error instanceof StorageError && error.kind === 'conflict' && typeof condition === 'object' && !this.#isUnquoted;
      if (!mayNeedUnquoted || (await this.get(path, signal))?.tag !== condition.tag) throw error;
      this.#isUnquoted = true;
      return this.put(path, upload, signal, condition);
    }
  }

  /** Begins a multipart upload. S3 limits one request to 5 GiB, and an object in parts to 10,000 parts. */
  async beginParts(path: string, upload: Omit<Upload, 'bytes'>, signal: AbortSignal): Promise<PartsUpload> {
    const object = this.#object(path);
    const begin = new this.#sdk.CreateMultipartUploadCommand({ ...object, ...headersOf(upload) });
    const { UploadId } = await convertErrors(() => this.#client.send(begin, { abortSignal: signal }));
    return {
      put: async ({ number }, bytes, abortSignal) => {
        const part = { ...object, UploadId, PartNumber: number, Body: bytes, ContentLength: bytes.length };
        const request = new this.#sdk.UploadPartCommand({ ...part, ContentMD5: createHash('md5').update(bytes).digest('base64') });
        const { ETag } = await convertErrors(() => this.#client.send(request, { abortSignal }));
        return ETag ?? '';
      },
      complete: async (tags, abortSignal) => {
        const Parts = tags.map((ETag, index) => ({ PartNumber: index + 1, ETag }));
        const request = new this.#sdk.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } });
        try {
          await convertErrors(() => this.#client.send(request, { abortSignal }));
        } catch (error) {
          // the response to an earlier attempt was lost: the store no longer knows the upload
          const mayBeThere = error instanceof StorageError && error.kind === 'missing';
          if (!mayBeThere || (await this.head(path, abortSignal))?.digest !== upload.digest) throw error;
        }
      },
      abort: async (abortSignal) => {
        const request = new this.#sdk.AbortMultipartUploadCommand({ ...object, UploadId });
        await convertErrors(() => this.#client.send(request, { abortSignal }));
      },
    };
  }

  async openUploads(prefix: string, signal: AbortSignal): Promise<readonly OpenUpload[]> {
    const place = { Bucket: this.#bucket, Prefix: this.#prefix + prefix };
    const uploads: OpenUpload[] = [];
    try {
      for (let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | undefined = {}; marker !== undefined; ) {
        const request: ListMultipartUploadsCommand = new this.#sdk.ListMultipartUploadsCommand({ ...place, ...marker });
        const page = await convertErrors(() => this.#client.send(request, { abortSignal: signal }));
        for (const { Key = '', UploadId = '' } of page.Uploads ?? []) uploads.push({ path: Key.slice(this.#prefix.length), id: UploadId });
        const { IsTruncated, NextKeyMarker = '', NextUploadIdMarker = '' } = page;
        marker = IsTruncated ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : undefined;
      }
      return uploads;
    } catch (error) {
      // a store without uploads in parts has none
      if (error instanceof StorageError && error.kind === 'unsupported') return [];
      throw error;
    }
  }

  async abortUpload({ path, id }: OpenUpload, signal: AbortSignal): Promise<void> {
    const request = new this.#sdk.AbortMultipartUploadCommand({ ...this.#object(path), UploadId: id });
    await orUndefined(() => this.#client.send(request, { abortSignal: signal }));
  }

  list(prefix: string, after: string, next: string | undefined, signal: AbortSignal): Promise<ObjectPage> {
    const start = after === '' ? {} : { StartAfter: this.#prefix + after };
    return this.#page({ Prefix: this.#prefix + prefix, ContinuationToken: next, ...start }, signal);
  }

  async remove(path: string, signal: AbortSignal): Promise<void> {
    await convertErrors(() => this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(path)), { abortSignal: signal }));
  }

  source(): ObjectSource {
    return this;
  }

  async objects(after: string | undefined, signal: AbortSignal): Promise<ObjectPage> {
    const page = await this.#page({ Prefix: this.#prefix, ContinuationToken: after }, signal);
    if (page.objects.length > 0 || after !== undefined || this.#prefix === '') return page;
    // the address may be that of one object: its key is the first with its name as the prefix
    const { objects } = await this.#page({ Prefix: this.#ownKey, MaxKeys: 1 }, signal, this.#ownKey.length);
    return { objects: objects.filter(({ path }) => path === ''), next: undefined };
  }

  /** @param cut the length of the part of each key that is not in the path */
  async #page(input: Omit<ListObjectsV2CommandInput, 'Bucket'>, signal: AbortSignal, cut = this.#prefix.length): Promise<ObjectPage> {
    const request = new this.#sdk.ListObjectsV2Command({ Bucket: this.#bucket, ...input });
    const response = await convertErrors(() => this.#client.send(request, { abortSignal: signal }));
    const objects = (response.Contents ?? []).map(
      ({ Key = '', Size = 0, ETag = '' }): ListedObject => ({ path: Key.slice(cut), size: Size, tag: ETag }),
    );
    return { objects, next: response.IsTruncated ? response.NextContinuationToken : undefined };
  }

  async read(path: string, from: number, signal: AbortSignal): Promise<ObjectBody> {
    return convertErrors(async () => {
      const object = path === '' ? { Bucket: this.#bucket, Key: this.#ownKey } : this.#object(path);
      const range = from > 0 ? { Range: `bytes=${from}-` } : {};
      const { Body, ContentLength, ContentRange, ETag } = await this.#client.send(new this.#sdk.GetObjectCommand({ ...object, ...range }), {
        abortSignal: signal,
      });
      if (from > 0 && !ContentRange?.startsWith(`bytes ${from}-`)) throw noRanges();
      if (!(Body instanceof Readable)) throw new StorageError('refused', 'a response without a body');
      return { bytes: bodyOf(Body, ContentLength, toStorageError), from, tag: ETag ?? '' };
    });
  }

  /** The key that the address names, if it is that of an object. */
  get #ownKey(): string {
    return this.#prefix.replace(/\/$/, '');
  }

  renew(): void {
    // a client keeps its credentials until they expire by their own date
    this.#client = this.#connect();
  }

  close(): void {
    this.#client.destroy();
  }

  #object(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + path };
  }

  #ifMatch(tag: string): string {
    return this.#isUnquoted ? tag.replaceAll('"', '') : tag;
  }
}
