import type { Capability } from '../../../src/rewrite/hosts/host.ts';
import type { Probe } from '../probe.ts';
import {
  controlCharacters,
  encodedPath,
  errorHeaders,
  exactPath,
  head,
  headers,
  methods,
  methodsBody,
  missingPage,
  options,
  optionsBody,
  rareMethods,
  redirect,
  redirectEncoding,
  singleHeaders,
  unknownMethods,
  unknownPath,
} from './answers.ts';
import { browse, onlyJson } from './browse.ts';
import { brotli, contentEtag, etagList, gzip, revalidation } from './bytes.ts';
import { linkParameters, range, spellings, traversal, unpacked, walk } from './core.ts';
import { queries } from './queries.ts';
import { incompleteTree, missingTree, unreadableFiles } from './trees.ts';

/** The probes that every host must pass. */
export const CORE: { readonly [name: string]: Probe } = {
  'the core queries': queries('core'),
  'a walk by next': walk,
  spellings,
  traversal,
  'JSON for browsers': onlyJson,
  'pages that are not there compressed': unpacked,
};

/** The probes of pages as files, after the others: they damage the tree. */
export const OF_FILES = {
  'unreadable-files': unreadableFiles,
  'incomplete-tree': incompleteTree,
  'missing-tree': missingTree,
} as const;

/** The probes, those that change the tree last. */
export const PROBES: { readonly [C in Exclude<Capability, 'damaged-files' | keyof typeof OF_FILES>]: Probe } = {
  'empty-value': queries('empty-value'),
  'letter-case': queries('letter-case'),
  'last-repeat': queries('last-repeat'),
  integers: queries('integers'),
  'percent-decoding': queries('percent-decoding'),
  'other-digits': queries('other-digits'),
  'control-characters': controlCharacters,
  'leading-zeros': queries('leading-zeros'),
  'digit-limit': queries('digit-limit'),
  'encoded-path': encodedPath,
  'exact-path': exactPath,
  head,
  headers,
  'error-headers': errorHeaders,
  'single-headers': singleHeaders,
  'missing-page': missingPage,
  'unknown-path': unknownPath,
  redirect,
  'redirect-encoding': redirectEncoding,
  options,
  'options-body': optionsBody,
  methods,
  'methods-body': methodsBody,
  'rare-methods': rareMethods,
  'unknown-methods': unknownMethods,
  range,
  gzip,
  brotli,
  browse,
  'etag-list': etagList,
  revalidation,
  'content-etag': contentEtag,
};

/** Capabilities that no host can have, because pages are files. */
export const NO_HOST_CAN = {
  'link-parameters': '`next` and `previous` cannot keep other query parameters, because the links are part of the page file',
} as const;

/** The probes for capabilities that no host can have. */
export const NEVER: { readonly [N in keyof typeof NO_HOST_CAN]: Probe } = { 'link-parameters': linkParameters };
