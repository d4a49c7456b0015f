/**
 * Returns the scheme of a text that looks like a URL, in lower case: letters and a colon before a slash, as in
 * `https://host` and `s3:/bucket`. Returns undefined for a path, such as `./s3:/bucket` or `C:\folder`.
 */
export function schemeOf(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):[\\/]/i.exec(text)?.[1]?.toLowerCase();
}
