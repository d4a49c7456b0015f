/**
 * What can go wrong with a request, by what helps: `passing` is tried again, `expired` with credentials
 * that are fetched anew, `conflict` says that a condition did not hold, `unsupported` that the store knows
 * no such request, `denied` and `missing` (the bucket or container) that a person has to do something.
 */
export type TroubleKind = 'passing' | 'expired' | 'conflict' | 'unsupported' | 'denied' | 'missing' | 'refused';

/** A request that a place did not carry out, in words that hold nothing secret. */
export class Trouble extends Error {
  readonly kind: TroubleKind;

  constructor(kind: TroubleKind, message: string) {
    super(message);
    this.name = 'Trouble';
    this.kind = kind;
  }
}

const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
/**
 * Amazon's client corrects its clock by an answer that says that it is wrong. Where another write came in between it
 * answers 409 with a code that asks to repeat the request: whether the condition holds is told only then.
 */
const PASSING_CODES =
  /^(RequestTimeTooSkewed|RequestTimeout|RequestTimeTooSlow|IncompleteBody|BadDigest|InvalidDigest|Md5Mismatch|XAmzContentSHA256Mismatch|SlowDown|OperationAborted|ConditionalRequestConflict|ServerBusy|InternalError)$/;
const EXPIRED_CODES = /^(ExpiredToken|ExpiredTokenException|TokenRefreshRequired|RequestExpired|InvalidToken)$/;

/**
 * The trouble that a store's answer means.
 * @param status undefined where there was no answer at all: such a request can be made again
 * @param code the store's own name for it
 */
export function troubleOf(status: number | undefined, code: string, message: string): Trouble {
  const words = [status, code, message].filter((part) => part !== undefined && part !== '' && part !== 'UnknownError').join(' ');
  return new Trouble(kindOf(status, code), words);
}

function kindOf(status: number | undefined, code: string): TroubleKind {
  if (EXPIRED_CODES.test(code)) return 'expired';
  if (status === undefined || PASSING.has(status) || PASSING_CODES.test(code)) return 'passing';
  if (status === 412 || status === 409) return 'conflict';
  if (status === 501) return 'unsupported';
  if (status === 401 || status === 403) return 'denied';
  return status === 404 ? 'missing' : 'refused';
}
