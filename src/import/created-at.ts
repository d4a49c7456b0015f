/** Describes an account by its creation date. */
export function createdAt(date: string | null | undefined): string {
  return date === null || date === undefined ? 'without a creation date' : `created ${date}`;
}
