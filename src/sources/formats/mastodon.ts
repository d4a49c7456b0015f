import type { TokenHandler, Tokenizer } from 'parse5';
import { show } from '../../contract/json.ts';
import { at, checkLength, MAX_MARKUP, Violation } from '../../contract/json-shape.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { captureTime, dateField, handleField, idField, imageField, textField } from './fields.ts';
import { type CaptureContext, type JsonObject, PackageNotLoaded, type SnapshotFormat, snapshotsUnder } from './format.ts';

/** The Account of Mastodon, alone or in a search response. */
export const mastodon: SnapshotFormat<'mastodon'> = {
  name: 'mastodon',
  title: 'a Mastodon account (with acct)',
  recognizes: (value) => 'acct' in value || Array.isArray(value['accounts']),
  snapshotsIn: snapshotsUnder('accounts'),
  observe,
};

type ParserPackage = typeof import('parse5');

/** Most runs read no Mastodon account, so its parser is not loaded with the command. */
let parser: ParserPackage | undefined;

async function loadParser(): Promise<void> {
  parser = await import('parse5');
}

function observe(account: JsonObject, path: string, taken: CaptureContext): Observation {
  const acct = handleField(account['acct'], path, 'acct');
  // handles and ids are unique only within one server; the host makes them unique everywhere
  const host = acct.includes('@') ? acct.slice(acct.lastIndexOf('@') + 1) : hostOf(account, path);
  const id = idField(account['id'], path, 'id');
  return {
    observed_at: captureTime(account, path, taken),
    web_archive_url: null,
    profile: {
      screen_name: acct.includes('@') ? acct : `${acct}@${host}`,
      id: id === undefined ? undefined : `${id}@${host}`,
      display_name: textField(account['display_name'], path, 'display_name'),
      bio: bioOf(account, path),
      location: undefined,
      website: undefined,
      verified: undefined,
      profile_image_url: imageField(account['avatar'], path, 'avatar'),
      account_creation_date: dateField(account['created_at'], path, 'created_at'),
    },
    former_names: [],
  };
}

/** Returns the host of an account that is local to the server: the host of its profile page. */
function hostOf(account: JsonObject, path: string): string {
  const page = account['url'];
  const host = typeof page === 'string' && URL.canParse(page) ? new URL(page).host : '';
  if (host !== '') return host;
  throw new Violation(at(path, 'url'), 'the URL of the profile page, which contains the host of a local account', show(page));
}

function bioOf(account: JsonObject, path: string): string | undefined {
  const note = textField(account['note'], path, 'note');
  if (note === undefined || note === '') return note;
  // a tag with many attributes takes long
  checkLength(note, at(path, 'note'), MAX_MARKUP);
  return plainText(note);
}

/** Block elements, with the line breaks before and after them. */
const BLOCKS: { readonly [name: string]: number } = {
  p: 2,
  blockquote: 2,
  pre: 2,
  ul: 2,
  ol: 2,
  h1: 2,
  h2: 2,
  h3: 2,
  h4: 2,
  h5: 2,
  h6: 2,
  div: 1,
  li: 1,
};
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * Converts HTML to the text that a browser shows.
 * Links come out whole: Mastodon shortens them only with style sheets, by the classes `invisible` and
 * `ellipsis`.
 * Tags are read one by one without building a tree. A tree takes gigabytes for a hundred thousand characters
 * of unclosed tags.
 */
function plainText(html: string): string {
  if (parser === undefined) throw new PackageNotLoaded(loadParser);
  const { Tokenizer, TokenizerMode } = parser;
  const lines = new Lines();
  let hidden: string | undefined;
  const add = ({ chars }: { readonly chars: string }) => (hidden === undefined ? lines.add(chars) : undefined);
  const handler: TokenHandler = {
    onStartTag: ({ tagName }) => {
      lines.break(BLOCKS[tagName] ?? 0);
      if (tagName === 'br') lines.addBreak();
      if (!HIDDEN.has(tagName)) return;
      hidden = tagName;
      tokenizer.state = TokenizerMode.RAWTEXT;
    },
    onEndTag: ({ tagName }) => {
      if (tagName === hidden) hidden = undefined;
      lines.break(BLOCKS[tagName] ?? 0);
    },
    onCharacter: add,
    onWhitespaceCharacter: add,
    onNullCharacter: () => {},
    onComment: () => {},
    onDoctype: () => {},
    onEof: () => {},
  };
  const tokenizer: Tokenizer = new Tokenizer({}, handler);
  tokenizer.write(html, true);
  return lines.toString();
}

/** Collects text. It collapses white space to one space and keeps line breaks only between two texts. */
class Lines {
  readonly #parts: string[] = [];
  #breaks = 0;
  #space = false;

  add(text: string): void {
    const words = text.replace(/[ \t\n\r\f]+/g, ' ');
    const [isSpaced, rest] = words.startsWith(' ') ? [true, words.slice(1)] : [false, words];
    this.#space ||= isSpaced;
    if (rest === '') return;
    if (this.#breaks > 0) this.#parts.push('\n'.repeat(this.#breaks));
    else if (this.#space && this.#parts.length > 0) this.#parts.push(' ');
    this.#breaks = 0;
    this.#space = rest.endsWith(' ');
    this.#parts.push(this.#space ? rest.slice(0, -1) : rest);
  }

  /** Requests at least this many breaks before the next text. */
  break(breaks: number): void {
    if (this.#parts.length > 0) this.#breaks = Math.max(this.#breaks, breaks);
  }

  addBreak(): void {
    if (this.#parts.length > 0) this.#breaks += 1;
  }

  toString(): string {
    return this.#parts.join('');
  }
}
