import { number, plural } from '../amounts.ts';
import { encodeJson, isObject } from '../json.ts';
import { arrayOf, count, objectOf, orNothing, type Rule, text, timestamp } from '../json-shape.ts';

/** Consecutive pages that could not be read. */
export interface FailedPages {
  /** The address of the first one. */
  readonly url: string;
  /** How many they are. */
  readonly pages: number;
  /** Why, without what the service sent. */
  readonly reason: string;
}

interface Amounts {
  readonly records: number;
  readonly accounts: number;
}

/** The report of a mirror, or of an import of saved pages, that lacks items of a service, or that cannot prove that it has all. */
export interface IncompleteMirror {
  readonly base_url: string;
  /** When the run ended that found this out, in UTC. */
  readonly finished_at: string;
  /** The requests of that run; 0 if it was an import. */
  readonly request_count: number;
  /** What the service counts, and how many of these items no page has shown, at least. */
  readonly counted: Amounts;
  readonly missing: Amounts;
  /** The items that pages showed and that were rejected; undefined if there are none. */
  readonly rejected?: number | undefined;
  /** The pages that could not be read, at most {@link MAX_RANGES} ranges; undefined if there are none. */
  readonly failed_pages?: readonly FailedPages[] | undefined;
}

/** The maximum number of ranges in a report. */
export const MAX_RANGES = 20;
/** The maximum number of ranges in its sentence. */
const MAX_TOLD = 3;

const amounts = objectOf<Amounts>('a number of records and of accounts', { records: count, accounts: count });
const range = objectOf<FailedPages>('a range of pages', { url: text, pages: count, reason: text });
const report = objectOf<IncompleteMirror>('a report', {
  base_url: text,
  finished_at: timestamp,
  request_count: count,
  counted: amounts,
  missing: amounts,
  rejected: orNothing(count),
  failed_pages: orNothing(arrayOf('ranges of pages', range)),
});

/** The reports in an archive or a tree; undefined if there are none. */
export const incompleteMirrors: Rule<readonly IncompleteMirror[] | undefined> = orNothing(arrayOf('reports of incomplete mirrors', report));

export function lackSentence(report: IncompleteMirror): string {
  const { base_url, request_count, failed_pages: failed = [] } = report;
  const subject = `the ${request_count === 0 ? 'import' : 'mirror'} of ${base_url}`;
  const pages = failed.slice(0, MAX_TOLD).map(({ url, pages, reason }) => {
    return `${url}${pages === 1 ? '' : ` and ${plural(pages - 1, 'page')} after it`}: ${reason}`;
  });
  if (failed.length > MAX_TOLD) pages.push(`and ${plural(failed.length - MAX_TOLD, 'more range')}`);
  const told = pages.length === 0 ? '' : ` (${pages.join('; ')})`;
  const lack = lackIn(report);
  return lack === undefined ? `nothing proves that ${subject} is complete${told}` : `${subject} lacks ${lack}${told}`;
}

/** Returns what a mirror or an import lacks, such as `at least 5 of 20 records, possibly also accounts`; undefined if no number is known. */
export function lackIn({ base_url, counted, missing, rejected, failed_pages: failed = [] }: IncompleteMirror): string | undefined {
  const parts = [
    ...(missing.records === 0 ? [] : [`at least ${number(missing.records)} of ${plural(counted.records, 'record')}`]),
    ...(missing.accounts === 0 ? [] : [`at least ${number(missing.accounts)} of ${plural(counted.accounts, 'account')}`]),
    ...(rejected === undefined ? [] : [plural(rejected, 'rejected item')]),
  ];
  if (parts.length === 0) return undefined;
  const hasFailed = (collection: 'data' | 'account') => failed.some(({ url }) => url.startsWith(`${base_url}/rest/${collection}/`));
  const others = [
    ...(missing.records === 0 && hasFailed('data') ? ['records'] : []),
    ...(missing.accounts === 0 && hasFailed('account') ? ['accounts'] : []),
  ];
  return `${parts.join(' and ')}${others.length === 0 ? '' : `, possibly also ${others.join(' and ')}`}`;
}

/** The field of a warcinfo record with the reports, as JSON. */
const WARC_FIELD = 'palimpsest-incomplete: ';

export function incompleteLine(reports: readonly IncompleteMirror[]): string {
  return WARC_FIELD + encodeJson(reports);
}

/** Returns the reports in the text of a package: a warcinfo record, or a build.json. */
export function reportsIn(text: string): readonly IncompleteMirror[] {
  const line = text.split(/\r?\n/).find((one) => one.startsWith(WARC_FIELD));
  try {
    const value: unknown = JSON.parse(line?.slice(WARC_FIELD.length) ?? text);
    const reports = line === undefined && isObject(value) ? value['incomplete'] : value;
    return incompleteMirrors.accepts(reports) ? (reports ?? []) : [];
  } catch {
    return [];
  }
}
