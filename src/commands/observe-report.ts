import { show } from '../contract/json.ts';
import type { ObserveSummary } from '../observe/observe.ts';
import { number, plural } from '../terminal/amounts.ts';
import { printable } from '../terminal/printable.ts';
import type { Line } from '../terminal/terminal.ts';

/** The maximum number of conflicts in the text output. */
const PRINTED_CONFLICTS = 5;

/** The first conflicts as text: snapshots of one account and one time with different values. */
export function conflictLines({ conflicts: { count, listed } }: ObserveSummary): string[] {
  if (count === 0) return [];
  const lines = listed.slice(0, PRINTED_CONFLICTS).map(({ account, data_type, observed_at, values }) => {
    const versions = values.map(({ text, recorded, file, line }) => {
      const place = file === undefined ? 'already in the store' : `${file}, line ${line}`;
      return `${show(text)} (${place}${recorded ? '' : '; not recorded'})`;
    });
    return printable(`${data_type} of ${account} at ${observed_at}: ${versions.join(', ')}`);
  });
  const more = count > lines.length ? [`${number(count - lines.length)} more: --json lists the first ${number(listed.length)}`] : [];
  return [`${plural(count, 'conflict')}: snapshots of the same account and time have different values of a field`, ...lines, ...more];
}

/** The snapshots that are too old to be added, as text. */
export function lateLines({ late }: ObserveSummary): string[] {
  return late === 0
    ? []
    : [
        `${plural(late, 'late snapshot')} not added: older than the newest of the account, with a value or handle that the store does not have`,
      ];
}

/** The maximum number of missing accounts in the text output. */
const PRINTED_MISSING = 10;

/** The accounts that earlier runs had and this one lacks, without those that are missing for long, as text. */
export function missingLines({ missing: { newCount, listed } }: ObserveSummary): string[] {
  return newCount === 0 ? [] : [`${plural(newCount, 'account')} of earlier runs not observed${named(newCount, listed)}`];
}

/** The accounts that are missing for long. A warning each night would hide the new ones. */
function longMissingLine({ missing: { count, newCount, listed } }: ObserveSummary): Line {
  const others = count - newCount;
  return others > 0 && `  missing   ${plural(others, 'account')}, not observed for a longer time${named(others, listed.slice(newCount))}`;
}

/** The first names after a colon. Nothing if no name is listed: the new ones can fill the list. */
function named(count: number, names: readonly string[]): string {
  const printed = names.slice(0, Math.min(count, PRINTED_MISSING));
  const more = printed.length < count ? [`and ${number(count - printed.length)} more`] : [];
  return printed.length === 0 ? '' : `: ${[...printed, ...more].join(', ')}`;
}

/** What a run added to the store, as text. */
export function summaryLines(summary: ObserveSummary): Line[] {
  return [
    `  snapshots ${number(summary.snapshots)}: ${number(summary.changed)} with changes, ${number(summary.unchanged)} without${summary.late === 0 ? '' : `, ${number(summary.late)} late`}`,
    `  records   ${recordsLine(summary)}`,
    `  accounts  ${number(summary.accounts.added)} new, ${number(summary.accounts.renamed)} renamed`,
    pathTimeLine(summary.path_times),
    summary.suspended > 0 && `  suspended ${plural(summary.suspended, 'snapshot')}, whose empty fields are unknown`,
    summary.excluded > 0 && `  excluded  ${plural(summary.excluded, 'snapshot')}, of accounts that were removed before`,
    longMissingLine(summary),
    skippedLine(summary),
  ];
}

/** Which snapshots have the time in their paths, as text. */
export function pathTimeLine({ count, first, last }: ObserveSummary['path_times']): Line {
  const range = first === last ? first : `${first} to ${last}`;
  return count > 0 && `  times     ${range}, from the names of files and folders, of ${plural(count, 'snapshot')}`;
}

/** Which files were not read, as text. */
export function skippedLine({ skipped }: Pick<ObserveSummary, 'skipped'>): Line {
  return skipped > 0 && `  skipped   ${plural(skipped, 'file')} of Twitter archives, which do not describe the account`;
}

function recordsLine({ records }: ObserveSummary): string {
  const all = Object.values(records).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(records).map(([type, count]) => `${type} ${number(count)}`);
  return all === 0 ? '0 new' : `${number(all)} new: ${parts.join(', ')}`;
}
