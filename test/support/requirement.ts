/** Whether tests that need something outside this checkout can run, and if not, why. */
export interface Requirement {
  readonly skip: boolean;
  /** For the title of what is skipped; '' where nothing is. */
  readonly reason: string;
}

/**
 * Looks for something that tests need from the machine. Where it is missing they are skipped and the
 * reason is printed; in CI, where everything has to be there, a missing thing is a failure.
 */
export function requirement(name: string, isThere: () => boolean): Requirement {
  if (isThere()) return { skip: false, reason: '' };
  const reason = `${name} is missing on this machine`;
  if (isCi(process.env['CI'])) throw new Error(`${reason}, and in CI no test may be skipped for that`);
  console.warn(`skipped: ${reason}`);
  return { skip: true, reason };
}

function isCi(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
