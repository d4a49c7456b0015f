import { CAPABILITIES, NO_HOST_CAN } from '../../src/rewrite/hosts/capability.ts';
import type { Host } from '../../src/rewrite/hosts/host.ts';
import { QUERIES } from './queries.ts';

/** What a run found out about a host. */
export interface Outcome {
  readonly name: string;
  readonly host: Host;
  /** What it was tried on. */
  readonly release: string;
  /** How many of the queries were answered as DRF does; undefined where none could be asked. */
  score: number | undefined;
  /** The capabilities that were proven, and those that were proven absent. */
  readonly has: Set<string>;
  readonly lacks: Set<string>;
}

const [BEGIN, END] = ['<!-- from a run of test/conformance: -->', '<!-- to here -->'];

/** A document with what a run found where it has its place. */
export function withTable(document: string, outcomes: readonly Outcome[]): string {
  const [before = '', rest = ''] = document.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error(`the document has no place for a table between ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${table(outcomes)}\n\n${everywhere()}\n\n${reasons(outcomes)}\n\n${END}${after}`;
}

/** A document without the releases in its table, which are those of the machine that made it. */
export function withoutReleases(document: string): string {
  return document.replace(/^(\| `[a-z0-9 -]+` \|)[^|]*\|/gm, '$1 |');
}

function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, release, score, has, lacks }) => {
    const untried = Object.keys(CAPABILITIES).filter((capability) => !has.has(capability) && !lacks.has(capability));
    const cells = [
      `\`${name}\``,
      release,
      score === undefined ? '' : `${score} of ${QUERIES.length}`,
      [...lacks].join(', '),
      untriedWords(untried),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| host | tried on | queries | lacks | not tried |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

function untriedWords(names: readonly string[]): string {
  return names.length === Object.keys(CAPABILITIES).length ? 'everything' : names.join(', ');
}

/** What the run has proven of every host. */
function everywhere(): string {
  const lines = Object.entries(NO_HOST_CAN).map(([name, words]) => `- no host has \`${name}\`: ${words}`);
  return lines.join('\n');
}

function reasons(outcomes: readonly Outcome[]): string {
  return outcomes
    .map(({ name, host }) =>
      [`### ${name}`, '', `${host.title}: tested on ${host.testedOn}.`, ...stepsOf(host), ...because(host)].join('\n'),
    )
    .join('\n\n');
}

/** What the run has done to install the host. */
function stepsOf({ steps }: Host): string[] {
  return steps.length === 0 ? [] : ['', ...steps.map((step) => `    ${step}`)];
}

function because({ cannot, untested: untried = {}, limits }: Host): string[] {
  const lines = [...grouped(cannot, 'lacks'), ...grouped(untried, 'not tried:')];
  const { files, fileBytes, source } = limits;
  if (source !== undefined) lines.push(`- takes ${files} files, and ${fileBytes} bytes a file (${source})`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Lines for what has one reason in common. */
function grouped(reasoned: { readonly [capability: string]: string }, word: string): string[] {
  const names = new Map<string, string[]>();
  for (const [capability, reason] of Object.entries(reasoned)) names.set(reason, [...(names.get(reason) ?? []), capability]);
  return [...names].map(([reason, capabilities]) => `- ${word} ${capabilities.map((name) => `\`${name}\``).join(', ')}: ${reason}`);
}
