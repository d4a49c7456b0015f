import { CAPABILITIES, type Host, NO_HOST_CAN } from '../../src/rewrite/hosts/host.ts';
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

const [BEGIN, END] = ['<!-- generated: npm run docs:hosts -->', '<!-- end -->'];

/** Returns a document with the results of a run between its two markers. */
export function withTable(document: string, outcomes: readonly Outcome[]): string {
  const [before = '', rest = ''] = document.split(BEGIN);
  const end = rest.indexOf(END);
  if (end === -1) throw new Error(`the document has no place for a table between ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${table(outcomes)}\n\n${everywhere()}\n\n${reasons(outcomes)}\n\n${rest.slice(end)}`;
}

/** Returns a document without the releases in its table, which depend on the machine of the run. */
export function withoutReleases(document: string): string {
  return document.replace(/^(\| `[a-z0-9 -]+` \|)[^|]*\|/gm, '$1 |');
}

function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, release, score, has, lacks }) => {
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
  });
  return ['| host | tested on | queries | lacks | not tested |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** Returns the lines about capabilities that no host has. */
function everywhere(): string {
  const lines = Object.entries(NO_HOST_CAN).map(([name, words]) => `- no host has \`${name}\`: ${words}`);
  return lines.join('\n');
}

function reasons(outcomes: readonly Outcome[]): string {
  return outcomes
    .map(({ name, host }) =>
      [`### ${name}`, '', `${host.title}: tested on ${host.testedOn}.`, ...stepsOf(host), ...reasonsOf(host)].join('\n'),
    )
    .join('\n\n');
}

/** Returns the commands with which the run installed the host. */
function stepsOf({ steps }: Host): string[] {
  return steps.length === 0 ? [] : ['', ...steps.map((step) => `    ${step}`)];
}

function reasonsOf({ cannot, untested = {}, limits }: Host): string[] {
  const lines = [...grouped(cannot, 'lacks'), ...grouped(untested, 'not tested:')];
  const { files, fileBytes, source } = limits;
  if (source !== undefined) lines.push(`- is limited to ${files} files, and to ${fileBytes} bytes per file (${source})`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Returns one line for each reason, with all capabilities that share it. */
function grouped(reasoned: { readonly [capability: string]: string }, label: string): string[] {
  const names = new Map<string, string[]>();
  for (const [capability, reason] of Object.entries(reasoned)) names.set(reason, [...(names.get(reason) ?? []), capability]);
  return [...names].map(([reason, capabilities]) => `- ${label} ${capabilities.map((name) => `\`${name}\``).join(', ')}: ${reason}`);
}
