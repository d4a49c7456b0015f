import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { forEachLimit } from '../../src/storage/concurrency-limit.ts';
import type { Exchange } from '../serve/exchange.ts';
import type { PublishedSite } from './published-site.ts';
import type { Running } from './subject.ts';

/** A host under test, and the site that it serves. */
export interface Trial extends Running {
  readonly site: PublishedSite;
  /** Whether the host itself serves the browse files of the site. */
  readonly servesBrowse?: boolean;
  /** Whether it sends the page of the site in place of a browse file that does not exist. */
  readonly sendsNotFoundPage?: boolean;
  /** The folder with the versions, if the host reads versions. */
  readonly target?: string;
}

/** The differences from the answers of DRF; empty if there are no differences. */
export type Probe = (trial: Trial) => Promise<readonly string[]>;

/** The number of requests that are sent at once. */
const AT_ONCE = 32;

/** Sends GET requests, many at once. Returns the answers in the order of the targets. */
export async function askAll(ask: Trial['ask'], targets: readonly string[]): Promise<Exchange[]> {
  const answers: Exchange[] = [];
  await forEachLimit([...targets.entries()], AT_ONCE, async ([index, target]) => {
    answers[index] = await ask(target);
  });
  return answers;
}

/** Compares actual with expected values, and collects the differences. */
export class Findings {
  readonly found: string[] = [];

  equal(label: string, found: unknown, expected: unknown): void {
    const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
    if (left !== right) this.found.push(`${label}: expected ${right}, found ${left}`);
  }

  bytes(label: string, found: Buffer, expected: Buffer): void {
    if (found.equals(expected)) return;
    const at = found.findIndex((byte, index) => byte !== expected[index]);
    this.found.push(
      `${label}: other bytes (${found.length} instead of ${expected.length}) from ${at}: ${found.toString('latin1', at, at + 60)}`,
    );
  }

  /** Checks the headers of the API: the exact Content-Type and Allow, and Accept in Vary. */
  interfaceHeaders(label: string, { status, headers }: Exchange): void {
    this.equal(`${label}: Content-Type`, headers['content-type'], 'application/json');
    // empty list elements are ignored (RFC 9110, 5.6.1); Apache adds one to its 405
    const allow = (headers.allow ?? '').split(',').map((method) => method.trim());
    this.equal(`${label}: Allow`, allow.filter((method) => method !== '').join(', '), 'GET, POST, OPTIONS');
    this.equal(`${label}: Vary has Accept`, varies(headers.vary).includes('accept'), true);
    this.anyOrigin(label, headers);
    const exposed = headers['access-control-expose-headers'];
    this.equal(`${label}: Access-Control-Expose-Headers`, exposed, 'ETag, Palimpsest-Version');
    const cached = status === 503 ? /^no-store$|max-age=0\b.*must-revalidate/ : /max-age=0\b.*must-revalidate/;
    this.equal(`${label}: Cache-Control`, cached.test(headers['cache-control'] ?? ''), true);
  }

  /** Checks that a script of another site can read the answer. */
  anyOrigin(label: string, headers: Exchange['headers']): void {
    this.equal(`${label}: Access-Control-Allow-Origin`, headers['access-control-allow-origin'], '*');
  }
}

export function varies(vary: string | undefined): string[] {
  return (vary ?? '').split(',').map((name) => name.trim().toLowerCase());
}

/** Returns a probe of both collections, which collects the findings of `look` in each. */
export function eachCollection(
  look: (trial: Trial, path: string, findings: Findings, collection: (typeof COLLECTIONS)[number]) => Promise<void>,
): Probe {
  return async (trial) => {
    const findings = new Findings();
    for (const collection of COLLECTIONS) await look(trial, trial.site.path(collection), findings, collection);
    return findings.found;
  };
}
