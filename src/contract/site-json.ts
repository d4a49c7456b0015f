import { isObject } from './json.ts';
import { hasWebScheme, objectOf, orNothing, parseShape, type Rule, rule, type Shape, Violation } from './json-shape.ts';

/** What a site says about itself: the content of a `site.json`. The HTML pages and archives show it. */
export interface About {
  /** The name of the history, in place of that of the program. */
  readonly title: string;
  readonly publisher: string;
  readonly description?: string | undefined;
  /** Where readers ask for a correction or a removal: an http or https URL, or an e-mail address. */
  readonly contact?: string | undefined;
  /** Where the data is from. */
  readonly source?: string | undefined;
  readonly license?: string | undefined;
  readonly license_url?: string | undefined;
  /** The language of these texts, such as `en`. */
  readonly language?: string | undefined;
  /** The URL of an image that previews of links show. */
  readonly image?: string | undefined;
}

/** The separators U+2028 and U+2029 end a line, too: other programs would read a second field of an archive. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression excludes control characters
const LINE = /^(?!\s*$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
const EMAIL = /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i;

const line: Rule<string> = rule(
  'one line of text, not empty',
  (value): value is string => typeof value === 'string' && LINE.test(value) && value.isWellFormed(),
);

export const webUrl: Rule<string> = rule(
  'an http or https URL',
  (value): value is string => line.accepts(value) && !/\s/.test(value) && URL.canParse(value) && hasWebScheme(value),
);

const contact: Rule<string> = rule(
  'an http or https URL, or an e-mail address',
  (value): value is string => webUrl.accepts(value) || (line.accepts(value) && EMAIL.test(value)),
);

const language: Rule<string> = rule(
  'a language such as "en" or "pt-BR"',
  (value): value is string => line.accepts(value) && /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(value),
);

const SHAPE: Shape<About> = {
  title: line,
  publisher: line,
  description: orNothing(line),
  contact: orNothing(contact),
  source: orNothing(line),
  license: orNothing(line),
  license_url: orNothing(webUrl),
  language: orNothing(language),
  image: orNothing(webUrl),
};

export const ABOUT_FIELDS: readonly string[] = Object.keys(SHAPE);

/**
 * Parses the content of a `site.json`. The fields of the result have a fixed order.
 * @throws Violation at the first field that breaks its rule
 */
export function parseAbout(value: unknown): About {
  if (!isObject(value)) return parseShape(SHAPE, value, '');
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(SHAPE, key));
  if (unknown !== undefined) throw new Violation(unknown, `one of ${ABOUT_FIELDS.join(', ')}`, 'an unknown field');
  return parseShape(SHAPE, JSON.parse(JSON.stringify(value, [...ABOUT_FIELDS])), '');
}

/** What `build.json` has of a site. */
export const aboutOrNothing: Rule<About | undefined> = orNothing(objectOf('the content of a site.json', SHAPE));
