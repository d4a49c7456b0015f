import { HTML_FOLDERS } from '../browse.ts';
import { names } from '../patterns.ts';

/**
 * Returns the rules in VCL that replace the file of a page by its HTML page. The path is the key of the cache: both forms
 * have their own.
 * @param indent the indentation of one level
 */
export function htmlPages(indent: string): string {
  const toHtml = Object.entries(HTML_FOLDERS).map(
    ([collection, folder]) =>
      `${indent}set req.url = regsub(req.url, "^/rest/${collection}/(?:page/([0-9]+)/)?index\\.json$", "/${folder}/\\1.html");`,
  );
  const lines = [
    '# Clients that ask for HTML get HTML pages. Like Django REST Framework, this ignores weights (q). The last page has no',
    '# second file in HTML.',
    `if (req.http.Accept ~ "(?i)${names('text/html')}" && req.http.Accept !~ "(?i)${names('application/json')}" && req.http.X-Value != "last") {`,
    `${indent}set req.http.X-Form = "html";`,
    ...toHtml,
    `${indent}set req.url = regsub(req.url, "/\\.html$", "/1.html");`,
    '}',
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}
