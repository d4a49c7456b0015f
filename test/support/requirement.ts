/** Whether tests with a dependency outside this checkout can run, and why not. */
export interface Requirement {
  readonly skip: boolean;
  /** The reason, for the titles of skipped tests; '' if they run. */
  readonly reason: string;
}

/**
 * Checks a dependency of tests on the machine. If it is missing, the tests are skipped and the reason is printed. In CI,
 * a missing dependency is an error.
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
