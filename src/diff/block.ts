import { escapeAttribute, escapeText } from './inline.ts';

/** The block form: the whole old value, then the whole new one. */
export function block(before: string, after: string, value: (text: string) => string): string {
  return `\n<del>${value(before)}</del><br /><ins>${value(after)}</ins>\n`;
}

/** A website as a link to it, where it is the address of one; as text otherwise. */
export function website(text: string): string {
  const url = safeUrl(text);
  return url === undefined ? escapeText(text) : `<a href='${escapeAttribute(url)}'>${escapeText(text)}</a>`;
}

/** Where a link may lead: http or https, a host with a dot in it or an IPv6 address, no user, nothing that is read in two ways. */
function safeUrl(text: string): string | undefined {
  const [, scheme = 'http', rest = ''] = /^(?:(https?):\/\/)?(.*)$/is.exec(text) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\s\u0000-\u001f\u007f-\u009f\\]/.test(rest) || !/^(?:[^/?#@]*[^/?#@.]\.[^/?#@.]|\[)[^/?#@]*(?:[/?#]|$)/.test(rest))
    return undefined;
  const url = `${scheme.toLowerCase()}://${rest}`;
  if (!URL.canParse(url)) return undefined;
  const { username, password, hostname } = new URL(url);
  return username === '' && password === '' && /\.|^\[/.test(hostname) ? url : undefined;
}
