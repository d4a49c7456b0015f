// cspell:words howpublished textbraceleft textbraceright textbackslash textasciitilde textasciicircum
import type { NewestCounts } from '../filter/field-files.ts';

/** What the script knows about the site: the file `browse/assets/site.js` has it. */
export interface CitedSite {
  readonly title: string;
  readonly publisher?: string;
  /** The public address of the site; '' if it has none. */
  readonly base_url: string;
  /** It identifies the state of the data. */
  readonly fingerprint?: string;
  /** For the filter by field. */
  readonly fields?: NewestCounts;
  /** The days with snapshots in order, if they are known: for the profile of a day. */
  readonly snapshot_days?: readonly DaySpan[];
  /** The months that have a page, newest first: for the filter by date. */
  readonly months?: readonly string[];
}

/** Consecutive days, such as `2023-11-18`. Both belong to the span. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

/** A change or a rename that is cited. */
export interface Cited {
  readonly url: string;
  /** The id of its record, or of the rename. */
  readonly id: string;
  readonly title: string;
  /** When a source first showed the value, such as `2024-03-05T14:03:09Z`. For a rename, it is not used. */
  readonly time: string;
  /** When a source last showed the value or the handle before, as the page shows it. Not known of some changes. */
  readonly after?: string | null | undefined;
  /** When a source first showed the value, or when a rename was done at the latest, as the page shows it. Not known of some renames. */
  readonly by?: string | null | undefined;
  readonly isRename: boolean;
}

/** Returns the permalink of a change and its citations, each with the name of its format. What is not known is left out. */
export function citationsOf(
  site: CitedSite,
  { url, id, title, time, after, by, isRename }: Cited,
): readonly (readonly [format: string, text: string])[] {
  const { publisher, fingerprint } = site;
  const [what, link, when] = isRename
    ? ['Renamed', ',', `after ${after}${by ? ` and by ${by}` : ''}`]
    : after
      ? ['Changed', '', `between ${after} and ${by}`]
      : ['First seen', ', as first seen', `on ${by}`];
  const seen = `${what} ${when}`;
  const key = `${isRename ? 'rename' : 'record'}-${id}`;
  const state = fingerprint && `Fingerprint of the data ${fingerprint}`;
  const fields = {
    author: publisher && `{${escaped(publisher)}}`,
    title: escaped(title),
    howpublished: escaped(site.title),
    // nobody knows the year of a rename
    year: isRename ? '' : time.slice(0, 4),
    url,
    note: [seen, state].filter(Boolean).join('. '),
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []));
  const csl = {
    id: key,
    type: 'webpage',
    title,
    'container-title': site.title,
    publisher,
    author: publisher && [{ literal: publisher }],
    issued: isRename ? { literal: when } : { 'date-parts': [time.slice(0, 10).split('-').map(Number)] },
    URL: url,
    version: fingerprint,
    note: seen,
  };
  return [
    ['Link', url],
    ['Text', `${[publisher, `${title}${link} ${when}`, site.title, url, state].filter(Boolean).join('. ')}.`],
    ['BibTeX', `@misc{${key},\n${lines.join(',\n')}\n}`],
    ['CSL-JSON', JSON.stringify([csl], undefined, 2)],
  ];
}

const ESCAPES: { readonly [character: string]: string } = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  // BibTeX counts braces, also behind a backslash
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
};

/** Escapes a text for LaTeX. */
function escaped(text: string): string {
  return text.replace(/[\\~^{}&%$#_]/g, (character) => ESCAPES[character] ?? `\\${character}`);
}
