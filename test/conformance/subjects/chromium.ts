import { chromiumOf } from '../../browse/chromium.ts';

/** A page in a Chromium of its own. */
interface Page {
  /** Evaluates an expression, awaits promises, and returns the value as JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Opens an address. @param profile an empty folder */
export async function openPage(profile: string, url: string): Promise<Page> {
  const { chromium, options } = await chromiumOf();
  const context = await chromium.launchPersistentContext(profile, options);
  const page = await context.newPage();
  await page.goto(url);
  return { evaluate: (expression) => page.evaluate(expression), close: () => context.close() };
}
