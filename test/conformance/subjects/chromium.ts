import { chromiumOf } from '../../browse/chromium.ts';

/** A page in a Chromium of its own. */
export interface Page {
  /** Evaluates an expression, awaits promises, and returns the value as JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Opens an address, follows redirects, and returns the final address and its content. */
  readonly visit: (url: string) => Promise<{ readonly url: string; readonly text: string }>;
  readonly close: () => Promise<void>;
}

/** Opens an address. @param profile an empty folder */
export async function openPage(profile: string, url: string): Promise<Page> {
  const { chromium, options } = await chromiumOf();
  const context = await chromium.launchPersistentContext(profile, options);
  const page = await context.newPage();
  await page.goto(url);
  const visit = async (address: string) => {
    await page.goto(address);
    return { url: page.url(), text: await page.evaluate<string>('document.body.textContent') };
  };
  return { evaluate: (expression) => page.evaluate(expression), visit, close: () => context.close() };
}
