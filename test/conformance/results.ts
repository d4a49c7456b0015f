import { CAPABILITIES, ETAG_OF_TIME, type Host, ONLY_RULES } from '../../src/rewrite/hosts/host.ts';
import { QUERIES } from './queries.ts';

/** The results of a run for one host. */
export interface Outcome {
  readonly name: string;
  readonly host: Host;
  /** The release of the software under test. */
  readonly release: string;
  /** The number of queries that were answered as by DRF; undefined if the host cannot run here. */
  score: number | undefined;
  /** The capabilities that the run proved present, and those that it proved absent. */
  readonly has: Set<string>;
  readonly lacks: Set<string>;
}

/** The capabilities of hosts with pages as files. */
const OF_FILES: ReadonlySet<string> = new Set(['missing-tree', 'incomplete-tree', 'unreadable-files']);

/** The reasons of many hosts. The document has each of them once, below the table. */
export const SHARED_REASONS: { readonly [capability: string]: string } = { ...ONLY_RULES, ...ETAG_OF_TIME };

/** Returns a document in which the row and the section of each host have the results of a run. */
export function withResults(document: string, outcomes: readonly Outcome[]): string {
  return outcomes.reduce((text, outcome) => {
    const withRow = replaced(text, `| \`${outcome.name}\` |`, /\n/, row(outcome));
    return replaced(withRow, `### ${outcome.name}\n`, /\n\n(?=### |<!-- end -->)/, section(outcome));
  }, document);
}

/** Replaces a part of a document that has a known start. */
function replaced(document: string, start: string, end: RegExp, part: string): string {
  const [before, rest] = document.split(`\n${start}`);
  if (before === undefined || rest === undefined) throw new Error(`docs/hosts.md needs one line that begins with ${start.trim()}`);
  return `${before}\n${part}${rest.slice(rest.search(end))}`;
}

/** Returns a document without the releases in its table, which depend on the machine of the run. */
export function withoutReleases(document: string): string {
  return document.replace(/^(\| `[a-z0-9 -]+` \|)[^|]*\|/gm, '$1 |');
}

function row({ name, release, score, has, lacks }: Outcome): string {
  const untested = Object.keys(CAPABILITIES).filter(
    (capability) =>
      !has.has(capability) &&
      !lacks.has(capability) &&
      (name.endsWith('--versions') ? !OF_FILES.has(capability) : capability !== 'damaged-files'),
  );
  const cells = [
    `\`${name}\``,
    release,
    score === undefined ? '' : `${score} of ${QUERIES.length}`,
    [...lacks].join(', '),
    has.size === 0 ? 'everything else' : untested.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function section({ name, host }: Outcome): string {
  return [`### ${name}`, '', `${host.title}: tested on ${host.testedOn}.`, ...stepsOf(host), ...reasonsOf(host)].join('\n');
}

/** Returns the commands with which the run installed the host. */
function stepsOf({ steps }: Host): string[] {
  return steps.length === 0 ? [] : ['', ...steps.map((step) => `    ${step}`)];
}

function reasonsOf({ cannot, untested = {}, limits = {} }: Host): string[] {
  const lines = [...grouped(cannot, 'lacks'), ...grouped(untested, 'not tested:')];
  const { files, fileBytes, source } = limits;
  if (source !== undefined) lines.push(`- is limited to ${files} files, and to ${fileBytes} bytes per file (${source})`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Returns one line for each reason, with all capabilities that share it. */
function grouped(reasoned: { readonly [capability: string]: string }, label: string): string[] {
  const names = new Map<string, string[]>();
  for (const [capability, own] of Object.entries(reasoned)) {
    const reason = own === SHARED_REASONS[capability] ? 'see [Results](#results)' : own;
    names.set(reason, [...(names.get(reason) ?? []), capability]);
  }
  return [...names].map(([reason, capabilities]) => `- ${label} ${capabilities.map((name) => `\`${name}\``).join(', ')}: ${reason}`);
}
