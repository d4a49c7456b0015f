import { number } from './numbers.ts';

/** The texts of the links of numbered pages. */
export interface PageLinkTexts {
  /** What the links are, for screen readers. */
  readonly label: string;
  /** The link to the page before. */
  readonly previous: string;
  /** The link to the page after. */
  readonly next: string;
}

/** The number of pages before and after the current one that have a link. */
const AROUND = 2;

/** Returns the heading of a numbered page. The first page has no number in it. */
export function pageHeading(title: string, page: number): string {
  return `<h1>${title}${page === 1 ? '' : ` <small>page ${number(page)}</small>`}</h1>\n`;
}

/** Returns the links between numbered pages; '' if there is only one page. */
export function pageLinks(texts: PageLinkTexts, page: number, pages: number, href: (page: number) => string): string {
  if (pages === 1) return '';
  const link = (target: number, text = number(target), attributes = '') =>
    target === page ? `<span aria-current=page>${text}</span>` : `<a href="${href(target)}"${attributes}>${text}</a>`;
  const [from, to] = [Math.max(1, page - AROUND), Math.min(pages, page + AROUND)];
  const parts: string[] = [];
  if (page > 1) parts.push(link(page - 1, texts.previous, ' rel=prev'));
  if (from > 1) parts.push(link(1));
  if (from > 2) parts.push('<span>&hellip;</span>');
  for (let target = from; target <= to; target += 1) parts.push(link(target));
  if (to < pages - 1) parts.push('<span>&hellip;</span>');
  if (to < pages) parts.push(link(pages));
  if (page < pages) parts.push(link(page + 1, texts.next, ' rel=next'));
  return `<nav class=pages aria-label="${texts.label}">${parts.join(' ')}</nav>\n`;
}
