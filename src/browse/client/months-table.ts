/** Scrolls the table of months on a narrow screen, so that it begins with the newest months. */
export function showNewestMonths(): void {
  const table = document.querySelector('.scroll');
  const newest = Array.from(table?.querySelector('tbody tr')?.querySelectorAll('td:is([class], [colspan])') ?? []).at(-1);
  if (table && newest) table.scrollLeft += newest.getBoundingClientRect().right - table.getBoundingClientRect().right;
}
