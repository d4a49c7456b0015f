/**
 * What can go wrong with a request, by what helps: `transient` is tried again, `expired` with credentials
 * that are fetched anew, `conflict` says that a condition did not hold, `unsupported` that the store knows
 * no such request; `anonymous` (no credentials were found), `denied` and `missing` (the bucket or container) say
 * that a person has to do something.
 */
export type StorageErrorKind = 'transient' | 'expired' | 'conflict' | 'unsupported' | 'anonymous' | 'denied' | 'missing' | 'refused';

/** A request that a place did not carry out, in words that hold nothing secret. */
export class StorageError extends Error {
  readonly kind: StorageErrorKind;

  constructor(kind: StorageErrorKind, message: string) {
    super(message);
    this.name = 'Trouble';
    this.kind = kind;
  }
}

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);
/**
 * Amazon's client corrects its clock by an answer that says that it is wrong. Where another write came in between it
 * answers 409 with a code that asks to repeat the request: whether the condition holds is told only then.
 */
const TRANSIENT_CODES =
  /^(RequestTimeTooSkewed|RequestTimeout|RequestTimeTooSlow|IncompleteBody|BadDigest|InvalidDigest|Md5Mismatch|XAmzContentSHA256Mismatch|SlowDown|OperationAborted|ConditionalRequestConflict|ServerBusy|InternalError)$/;
const EXPIRED_CODES = /^(ExpiredToken|ExpiredTokenException|TokenRefreshRequired|RequestExpired|InvalidToken)$/;
/**
 * What the system, Node and the clients call a connection that was not made or broke off, an answer that took too long
 * or ended too early, and what came instead of an answer. What is wrong on this side, such as a header
 * that cannot be sent, is not among them: it would be wrong again.
 */
const NETWORK_ERRORS = new RegExp(
  `^(${[
    'ECONN(RESET|REFUSED|ABORTED)|EPIPE|EPROTO|E(SOCKET)?TIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENETRESET|ENOTCONN',
    // no name or no room for another connection
    'ENOTFOUND|EAI_[A-Z]+|EADDRINUSE|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS',
    'HPE_\\w+|ERR_SSL_\\w+|ERR_TLS_\\w+|ERR_HTTP2_\\w+|UND_ERR_\\w+|ERR_SOCKET_(CLOSED|CONNECTION_TIMEOUT)|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED)',
    // certificates
    'CERT_\\w+|UNABLE_TO_\\w+|(DEPTH_ZERO_)?SELF_SIGNED_\\w+|HOSTNAME_MISMATCH',
    'TimeoutError|AbortError',
  ].join('|')})$`,
);
/** Azure's client, of a request that was not answered; with a status the second is said of an answer that is no XML. */
const UNANSWERED = /^(REQUEST_SEND_ERROR|PARSE_ERROR)$/;

/**
 * The trouble that a store's answer means, or that there was none.
 * @param status undefined where there was no answer
 * @param code the store's own name for it; without an answer what the network's trouble is called, if it was that
 */
export function storageErrorOf(status: number | undefined, code: string, message: string): StorageError {
  const line = message.split('\n')[0] ?? '';
  const words = [status, line.includes(code) ? '' : code, line].filter(
    (part) => part !== undefined && part !== '' && part !== 'UnknownError',
  );
  return new StorageError(kindOf(status, code), words.join(' '));
}

function kindOf(status: number | undefined, code: string): StorageErrorKind {
  if (EXPIRED_CODES.test(code)) return 'expired';
  // an answer whose words broke off has a status all the same
  if (TRANSIENT_CODES.test(code) || NETWORK_ERRORS.test(code)) return 'transient';
  if (status === undefined) return UNANSWERED.test(code) ? 'transient' : 'refused';
  if (TRANSIENT_STATUS.has(status)) return 'transient';
  if (status === 412 || status === 409) return 'conflict';
  if (status === 501) return 'unsupported';
  if (status === 401 || status === 403) return 'denied';
  return status === 404 ? 'missing' : 'refused';
}

/** What the network's trouble is called in an error, or in what led to it; undefined where it was none. */
export function networkCode(error: Error): string | undefined {
  const causes: readonly unknown[] = [error, error.cause, ...('errors' in error && Array.isArray(error.errors) ? error.errors : [])];
  return causes
    .filter((cause) => cause instanceof Error)
    .flatMap((cause) => ['code' in cause ? String(cause.code) : '', cause.name])
    .find((name) => NETWORK_ERRORS.test(name));
}
