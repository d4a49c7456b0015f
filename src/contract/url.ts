/**
 * The scheme of a text that looks like a URL, in lower case: letters and a colon before a slash, as in `https://host`,
 * `s3:/bucket`. Undefined for a path; `./s3:/bucket` is one, and so is `C:\folder`.
 */
export function schemeOf(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):[\\/]/i.exec(text)?.[1]?.toLowerCase();
}
