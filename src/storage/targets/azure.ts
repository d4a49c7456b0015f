import { createHash } from 'node:crypto';
import type { BlobServiceClient, BlockBlobClient, ContainerClient, ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import { codeOf, Failure } from '../../contract/failure.ts';
import { loadClient } from '../client-library.ts';
import type { ByteRange, ObjectPage } from '../object-source.ts';
import { errorConverter, ifFound, networkCode, StorageError, storageErrorOf } from '../storage-error.ts';
import type { Access, Condition, Fetched, ObjectHead, OpenUpload, PartsUpload, Target, TargetKind, Upload } from '../target.ts';

/** The names of the blob metadata. Azure permits no hyphens in them. */
const DIGEST = 'palimpsest_sha256';

export const azure: TargetKind = {
  scheme: 'az',
  open: async (address, access) => {
    const connect = await connector(access);
    return new AzureTarget(address.name, address.prefix, () => connect().getContainerClient(address.container));
  },
};

type Sdk = typeof import('@azure/storage-blob');

/** Returns a function that creates a client. The client loads credentials with its first request. */
async function connector({ endpoint, secrets }: Access): Promise<() => BlobServiceClient> {
  const sdk: Sdk = await loadClient('@azure/storage-blob', () => import('@azure/storage-blob'));
  const retryOptions = { maxTries: 1 };
  const { azureConnectionString, azureAccount, azureKey } = secrets;
  if (azureConnectionString !== undefined) {
    return () => {
      try {
        return sdk.BlobServiceClient.fromConnectionString(azureConnectionString, { retryOptions });
      } catch {
        // the error of the client may contain the string
        throw unusable('a valid AZURE_STORAGE_CONNECTION_STRING', 'a string that cannot be parsed');
      }
    };
  }
  const url = endpoint ?? (azureAccount === undefined ? undefined : `https://${azureAccount}.blob.core.windows.net`);
  if (url === undefined) throw unusable('an account: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_ACCOUNT or --endpoint', 'no account');
  if (azureKey !== undefined && azureAccount !== undefined) {
    return () => new sdk.BlobServiceClient(url, new sdk.StorageSharedKeyCredential(azureAccount, azureKey), { retryOptions });
  }
  const { DefaultAzureCredential } = await loadClient('@azure/identity', () => import('@azure/identity'));
  return () => new sdk.BlobServiceClient(url, new DefaultAzureCredential(), { retryOptions });
}

function unusable(expected: string, found: string): Failure {
  return new Failure('usage', 'the Azure account to publish to is not known', {
    expected,
    found,
    hint: 'set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY; without a key, palimpsest uses the login of the Azure tools',
  });
}

class AzureTarget implements Target {
  readonly name: string;
  /** Azure's prices for the hot tier with local redundancy. */
  readonly prices = { write: 0.000005, read: 0.0000004 };
  readonly keepsHeaders = true;
  keepsDeleted = false;
  readonly #prefix: string;
  readonly #connect: () => ContainerClient;
  #container: ContainerClient;

  constructor(name: string, prefix: string, connect: () => ContainerClient) {
    this.name = name;
    this.#prefix = prefix;
    this.#connect = connect;
    this.#container = connect();
  }

  async get(path: string, abortSignal: AbortSignal, range?: ByteRange): Promise<Fetched | undefined> {
    return orUndefined(async () => {
      const response = await this.#blob(path).download(range?.from ?? 0, range && range.to - range.from, { abortSignal });
      const pieces: Buffer[] = [];
      for await (const piece of response.readableStreamBody ?? []) pieces.push(Buffer.from(piece));
      return { bytes: Buffer.concat(pieces), contentEncoding: response.contentEncoding ?? '', tag: response.etag ?? '' };
    });
  }

  async head(path: string, abortSignal: AbortSignal): Promise<ObjectHead | undefined> {
    return orUndefined(async () => {
      const response = await this.#blob(path).getProperties({ abortSignal });
      return {
        digest: response.metadata?.[DIGEST],
        headers: {
          contentType: response.contentType ?? '',
          cacheControl: response.cacheControl ?? '',
          contentEncoding: response.contentEncoding ?? '',
        },
      };
    });
  }

  async put(path: string, upload: Upload, abortSignal: AbortSignal, condition?: Condition): Promise<string> {
    const { bytes } = upload;
    return convertErrors(async () => {
      const response = await this.#blob(path).upload(bytes, bytes.length, {
        abortSignal,
        ...headersOf(upload, createHash('md5').update(bytes).digest()),
        ...(condition === undefined ? {} : { conditions: condition === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: condition.tag } }),
      });
      if (response.versionId !== undefined) this.keepsDeleted = true;
      return response.etag ?? '';
    });
  }

  /** Begins an upload in blocks. It needs no request. Two uploads of one path would share their blocks. */
  async beginParts(path: string, upload: Omit<Upload, 'bytes'>): Promise<PartsUpload> {
    const idOf = (number: number) => Buffer.from(String(number).padStart(6, '0')).toString('base64');
    return {
      put: async ({ number }, bytes, abortSignal) => {
        const transactionalContentMD5 = createHash('md5').update(bytes).digest();
        await convertErrors(() => this.#blob(path).stageBlock(idOf(number), bytes, bytes.length, { abortSignal, transactionalContentMD5 }));
        return idOf(number);
      },
      complete: async (ids, abortSignal) => {
        await convertErrors(() => this.#blob(path).commitBlockList([...ids], { abortSignal, ...headersOf(upload) }));
      },
      abort: (signal) => this.abortUpload({ path, id: '' }, signal),
    };
  }

  async list(prefix: string, after: string, next: string | undefined, abortSignal: AbortSignal): Promise<ObjectPage> {
    return convertErrors(async () => {
      const pages = this.#container
        .listBlobsFlat({ prefix: this.#prefix + prefix, abortSignal })
        .byPage(next === undefined ? {} : { continuationToken: next });
      const page: ContainerListBlobFlatSegmentResponse | undefined = (await pages.next()).value;
      const objects = (page?.segment.blobItems ?? []).map(({ name, properties }) => ({
        path: name.slice(this.#prefix.length),
        size: properties.contentLength ?? 0,
        tag: properties.etag,
      }));
      return { objects: objects.filter(({ path }) => path > after), next: page?.continuationToken || undefined };
    });
  }

  async openUploads(prefix: string, abortSignal: AbortSignal): Promise<readonly OpenUpload[]> {
    return convertErrors(async () => {
      const uploads: OpenUpload[] = [];
      const options = { prefix: this.#prefix + prefix, includeUncommitedBlobs: true, abortSignal };
      for await (const { name, properties } of this.#container.listBlobsFlat(options)) {
        // a blob that was never committed has no tag and no length
        if (!properties.contentLength && !properties.contentMD5) uploads.push({ path: name.slice(this.#prefix.length), id: '' });
      }
      return uploads;
    });
  }

  /** Replaces the blocks by an empty blob, and removes it: there is no request that discards blocks. */
  async abortUpload({ path }: OpenUpload, abortSignal: AbortSignal): Promise<void> {
    await convertErrors(() => this.#blob(path).upload('', 0, { abortSignal }));
    await this.remove(path, abortSignal);
  }

  async remove(path: string, abortSignal: AbortSignal): Promise<void> {
    await convertErrors(() => this.#blob(path).deleteIfExists({ abortSignal }));
  }

  renew(): void {
    // a credential keeps its token until the token expires by its own date
    this.#container = this.#connect();
  }

  close(): void {}

  #blob(path: string): BlockBlobClient {
    return this.#container.getBlockBlobClient(this.#prefix + path);
  }
}

function headersOf({ headers, digest }: Omit<Upload, 'bytes'>, blobContentMD5?: Uint8Array) {
  return {
    blobHTTPHeaders: {
      blobContentType: headers.contentType,
      blobCacheControl: headers.cacheControl,
      // the service compares it with the bytes that it received
      ...(blobContentMD5 === undefined ? {} : { blobContentMD5 }),
      ...(headers.contentEncoding === '' ? {} : { blobContentEncoding: headers.contentEncoding }),
    },
    metadata: { [DIGEST]: digest },
  };
}

function orUndefined<T>(request: () => Promise<T>): Promise<T | undefined> {
  return ifFound(convertErrors(request), 'ContainerNotFound');
}

const convertErrors = errorConverter(toStorageError);

/** Converts an error of the client to a StorageError, whose message does not contain the request. */
function toStorageError(error: unknown): StorageError {
  if (!(error instanceof Error)) return new StorageError('refused', 'the client threw a value that is not an Error');
  const refusal = refusalIn(error);
  if (refusal !== undefined) return new StorageError('denied', refusal);
  if (/^(AggregateAuthentication|CredentialUnavailable)Error$/.test(error.name)) return new StorageError('anonymous', 'no credentials');
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  const code = codeOf(error) ?? '';
  // the emulator's error for Md5Mismatch
  if (code === 'InvalidOperation' && error.message.includes('contentMD5'))
    return new StorageError('transient', 'the service received other bytes');
  return storageErrorOf(status, networkCode(error) ?? code, firstLine(error));
}

/** Returns why an identity was rejected; undefined if no identity was found. */
function refusalIn(error: Error): string | undefined {
  const tried: readonly unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return tried
    .filter((one) => one instanceof Error)
    .filter(({ name }) => name === 'AuthenticationRequiredError')
    .map(firstLine)[0];
}

function firstLine({ message }: Error): string {
  return (message.split('\n')[0] ?? '').slice(0, 200);
}
