import { escapeAttribute, escapeText } from './inline.ts';

/** Formats a change as a block: the complete old value, then the complete new value. */
export function block(before: string, after: string, value: (text: string) => string): string {
  return `\n<del>${value(before)}</del><br /><ins>${value(after)}</ins>\n`;
}

/** Formats a website as a link if it is a safe URL, otherwise as text. */
export function website(text: string): string {
  const url = safeUrl(text);
  return url === undefined ? escapeText(text) : `<a href='${escapeAttribute(url)}'>${escapeText(text)}</a>`;
}

/**
 * Returns the URL of a link, or undefined. A safe URL has http or https, and a host with a dot or an IPv6
 * address. It has no user and nothing ambiguous.
 */
function safeUrl(text: string): string | undefined {
  const [, scheme = 'http', rest = ''] = /(?:(https?):\/\/)?(.*)/is.exec(text) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
  if (/[\s\u0000-\u001f\u007f-\u009f\\]/.test(rest) || !/^(?:[^/?#@]*[^/?#@.]\.[^/?#@.]|\[)[^/?#@]*(?:[/?#]|$)/.test(rest))
    return undefined;
  const url = `${scheme.toLowerCase()}://${rest}`;
  return URL.canParse(url) ? url : undefined;
}
