import { number } from './numbers.ts';

/** The number of pages before and after the current one that have a link. */
const AROUND = 2;

/**
 * Returns the links between numbered pages; '' if there is only one page.
 * @param label what the links are, for screen readers
 */
export function pageLinks(label: string, page: number, pages: number, href: (page: number) => string): string {
  if (pages === 1) return '';
  const link = (target: number, text = number(target), attributes = '') =>
    target === page ? `<span aria-current=page>${text}</span>` : `<a href="${href(target)}"${attributes}>${text}</a>`;
  const [from, to] = [Math.max(1, page - AROUND), Math.min(pages, page + AROUND)];
  const parts: string[] = [];
  if (page > 1) parts.push(link(page - 1, 'Newer', ' rel=prev'));
  if (from > 1) parts.push(link(1));
  if (from > 2) parts.push('<span>&hellip;</span>');
  for (let target = from; target <= to; target += 1) parts.push(link(target));
  if (to < pages - 1) parts.push('<span>&hellip;</span>');
  if (to < pages) parts.push(link(pages));
  if (page < pages) parts.push(link(page + 1, 'Older', ' rel=next'));
  return `<nav class=pages aria-label="${label}">${parts.join(' ')}</nav>\n`;
}
