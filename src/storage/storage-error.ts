import { codeOf, Failure } from '../contract/failure.ts';

/**
 * The kinds of errors, by their remedy. `transient` is retried. `expired` is retried with new credentials. `conflict`
 * means that a condition was not met. `unsupported` means that the store does not support the request. `anonymous`
 * (no credentials were found), `no-region`, `denied` and `missing` (the bucket or container) need an action by the user.
 */
export type StorageErrorKind =
  | 'transient'
  | 'expired'
  | 'conflict'
  | 'unsupported'
  | 'anonymous'
  | 'denied'
  | 'missing'
  | 'no-region'
  | 'refused';

/** A request that a store did not carry out. The message contains no secrets. */
export class StorageError extends Error {
  readonly kind: StorageErrorKind;
  /** The pause before a retry that the server asks for, in milliseconds. */
  readonly retryAfter: number;

  constructor(kind: StorageErrorKind, message: string, retryAfter = 0) {
    super(message);
    this.name = 'StorageError';
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);
/**
 * Amazon's client corrects its clock after a response that reports a skew. After a concurrent write, S3 answers 409 with
 * a code that asks for a retry. Only the retry shows whether the condition is met.
 */
const TRANSIENT_CODES =
  /^(RequestTimeTooSkewed|RequestTimeout|RequestTimeTooSlow|IncompleteBody|BadDigest|InvalidDigest|Md5Mismatch|XAmzContentSHA256Mismatch|SlowDown|OperationAborted|ConditionalRequestConflict|ServerBusy|InternalError)$/;
const EXPIRED_CODES = /^(ExpiredToken|ExpiredTokenException|TokenRefreshRequired|RequestExpired|InvalidToken)$/;
/**
 * The names that the system, Node and the clients use for failed or broken connections, and for responses that are
 * late, truncated or malformed. Local errors, such as an invalid header, are not included: a retry would fail again.
 */
const NETWORK_ERRORS = new RegExp(
  `^(${[
    'ECONN(RESET|REFUSED|ABORTED)|EPIPE|EPROTO|E(SOCKET)?TIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENETRESET|ENOTCONN',
    // the name cannot be resolved, or no more connections are possible
    'ENOTFOUND|EAI_[A-Z]+|EADDRINUSE|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS',
    'HPE_\\w+|ERR_SSL_\\w+|ERR_TLS_\\w+|ERR_HTTP2_\\w+|UND_ERR_\\w+|ERR_SOCKET_(CLOSED|CONNECTION_TIMEOUT)|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED)',
    // certificates
    'CERT_\\w+|UNABLE_TO_\\w+|(DEPTH_ZERO_)?SELF_SIGNED_\\w+|HOSTNAME_MISMATCH',
    'TimeoutError|AbortError',
  ].join('|')})$`,
);
/** The codes of Azure's client for a request without a response. With a status, the second code means a response that is not XML. */
const UNANSWERED = /^(REQUEST_SEND_ERROR|PARSE_ERROR)$/;

/**
 * Returns the StorageError for an error response, or for a missing response.
 * @param status the HTTP status; undefined without a response
 * @param code the store's error code; without a response, the code of the network error if it was one
 * @param retryAfter the pause before a retry that the server asks for, in milliseconds
 */
export function storageErrorOf(status: number | undefined, code: string, message: string, retryAfter = 0): StorageError {
  const line = message.split('\n')[0] ?? '';
  const parts = [status, line.includes(code) ? '' : code, line].filter(
    (part) => part !== undefined && part !== '' && part !== 'UnknownError',
  );
  return new StorageError(kindOf(status, code), parts.join(' '), retryAfter);
}

function kindOf(status: number | undefined, code: string): StorageErrorKind {
  if (EXPIRED_CODES.test(code)) return 'expired';
  // a response with a truncated body has a status too
  if (TRANSIENT_CODES.test(code) || NETWORK_ERRORS.test(code)) return 'transient';
  if (status === undefined) return UNANSWERED.test(code) ? 'transient' : 'refused';
  if (TRANSIENT_STATUS.has(status)) return 'transient';
  if (status === 412 || status === 409) return 'conflict';
  if (status === 501) return 'unsupported';
  if (status === 401 || status === 403) return 'denied';
  // 416: the object ends before the range
  return status === 404 || status === 416 ? 'missing' : 'refused';
}

/** Returns the code of the network error in an error or in its causes; undefined if it is not a network error. */
export function networkCode(error: Error): string | undefined {
  const causes: readonly unknown[] = [error, error.cause, ...('errors' in error && Array.isArray(error.errors) ? error.errors : [])];
  return causes
    .filter((cause) => cause instanceof Error)
    .flatMap((cause) => [codeOf(cause) ?? '', cause.name])
    .find((name) => NETWORK_ERRORS.test(name));
}

export function errorConverter(toStorageError: (error: unknown) => StorageError): <T>(request: () => Promise<T>) => Promise<T> {
  return async (request) => {
    try {
      return await request();
    } catch (error) {
      throw toStorageError(error);
    }
  };
}

/**
 * Returns the response to a request for an object; undefined if there is no such object.
 * @param noContainer the code of the error of a missing bucket or container
 */
export async function ifFound<T>(response: Promise<T>, noContainer: string): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'missing' && !error.message.includes(noContainer)) return undefined;
    throw error;
  }
}

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
