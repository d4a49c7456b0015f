import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import { block, website } from './block.ts';
import { escapeText, inline } from './inline.ts';
import { type Network, TWITTER } from './networks.ts';
import { tokenSegments, whole } from './segments.ts';

export { type Segment, segmentsOf } from './segments.ts';

/**
 * Returns the HTML of a change as in a record (specification, 2.3).
 * The same values give the same bytes on every machine. Any string is accepted.
 * @param before the value of the field in the preceding record; undefined for a first record
 * @param after the new value; null if the field was removed
 */
export function diffHtml(type: DataType, before: string | null | undefined, after: string | null, network: Network = TWITTER): string {
  // an imported predecessor may contain a lone surrogate, which a page cannot contain
  const { mentions } = network;
  const [old, fresh] = [(before ?? '').toWellFormed(), (after ?? '').toWellFormed()];
  switch (PROFILE_FIELDS[type].difference) {
    case 'block':
      return block(old, fresh, escapeText);
    case 'link':
      return schemeForm(old, fresh) ?? block(old, fresh, website);
    case 'boolean':
      return inline(
        old === fresh ? whole('kept', fresh, mentions) : [...whole('removed', old, mentions), ...whole('added', fresh, mentions)],
        network,
      );
    case 'text':
      return inline(before === undefined ? whole('added', fresh, mentions) : tokenSegments(old, fresh, mentions), network);
  }
}

/** Returns the form for a website that only gained its scheme, otherwise undefined. */
function schemeForm(before: string, after: string): string | undefined {
  const scheme = ['http://', 'https://'].find((scheme) => before !== '' && after === scheme + before);
  if (scheme === undefined) return undefined;
  const text = (value: string) => [{ text: value, entity: undefined }];
  return inline(
    [
      { kind: 'added', tokens: text(scheme) },
      { kind: 'kept', tokens: text(before) },
    ],
    TWITTER,
  );
}
