import { expect } from 'vitest';
import type { Frame, Page } from './chromium.ts';

/** What a reader reads in. In an archive, the document is in a frame of the viewer. */
export interface Reader {
  readonly frame: Frame;
  readonly back: () => Promise<unknown>;
  readonly keyboard: Page['keyboard'];
}

/** Waits until an expression is true in a document. */
export async function until(frame: Frame, expression: string): Promise<void> {
  for (let tries = 400; tries > 0; tries -= 1) {
    // the document can be replaced meanwhile
    const isTrue = await frame.evaluate<boolean>(`Boolean(${expression})`).catch(() => false);
    if (isTrue) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never true at ${frame.url()}: ${expression}`);
}

/** The ids of the changes that a reader sees, in order. */
const SHOWN = `Array.from(document.querySelectorAll('.changes article')).filter((each) => each.getClientRects().length > 0)`;

/**
 * Walks through the tree, from the home page: finds an account by three letters, filters its bios, opens a change, follows
 * its permalink, and goes back.
 */
export async function walkWithSearch({ frame, back, keyboard }: Reader): Promise<void> {
  await frame.locator('#query').click();
  await keyboard.type('nin');
  await until(frame, `document.querySelectorAll('[role=option]').length === 1`);
  expect(await frame.locator('[role=option]').textContent()).toContain('@nina_k');
  await keyboard.press('Enter');
  await frame.waitForURL(/browse\/account\/[0-9a-f]{2}\/nina_k\.html$/);
  expect(await frame.locator('h1').textContent()).toBe('Nina Kowal 🗺️ @nina_k');

  const all = await frame.evaluate<number>(`${SHOWN}.length`);
  await frame.locator('label[for=fB]').click();
  await until(frame, `${SHOWN}.every((each) => each.matches('.B'))`);
  const bios = await frame.evaluate<string[]>(`${SHOWN}.map(({ id }) => id)`);
  expect(bios.length).toBeGreaterThan(1);
  expect(bios.length).toBeLessThan(all);

  // a change in the feed leads to the same change of its account
  await frame.locator('nav[aria-label=Site] a[href$="browse/changes/1.html"]').click();
  await frame.waitForURL(/browse\/changes\/1\.html$/);
  const feedPage = frame.url();
  const change = frame.locator('.changes article').nth(2);
  const id = await change.getAttribute('id');
  await change.locator('a').first().click();
  await frame.waitForURL(new RegExp(`browse/account/.*#${id}$`));
  await until(frame, `document.querySelector(':target')?.id === '${id}'`);
  expect(await isInView(frame, `#${id}`)).toBe(true);

  // its permalink is the same address
  const address = frame.url();
  await frame.locator(`#${id} h3 a`).first().click();
  expect(frame.url()).toBe(address);
  const other = await frame.evaluate<string>(`${SHOWN}.find((each) => each.id !== '${id}').id`);
  await frame.locator(`#${other} h3 a`).first().click();
  await until(frame, `document.querySelector(':target')?.id === '${other}'`);

  await back();
  await until(frame, `document.querySelector(':target')?.id === '${id}'`);
  await back();
  await until(frame, `location.href === ${JSON.stringify(feedPage)} || document.querySelector('h1')?.textContent === 'Changes'`);
  expect(frame.url()).toBe(feedPage);
}

/** Walks from the home page to the feed, to its second page, and to a change of an account. */
export async function walkByLinks({ frame, back }: Pick<Reader, 'frame' | 'back'>): Promise<void> {
  await frame.locator('nav[aria-label=Site] a[href$="browse/changes/1.html"]').click();
  await frame.waitForURL(/browse\/changes\/1\.html$/);
  await frame.locator('nav.pages a[href$="browse/changes/2.html"]').first().click();
  await frame.waitForURL(/browse\/changes\/2\.html$/);
  const change = frame.locator('.changes article').nth(1);
  const id = await change.getAttribute('id');
  await change.locator('a').first().click();
  await frame.waitForURL(new RegExp(`browse/account/.*#${id}$`));
  expect(await frame.locator(':target').getAttribute('id')).toBe(id);
  await back();
  await frame.waitForURL(/browse\/changes\/2\.html$/);
}

function isInView(frame: Frame, selector: string): Promise<boolean> {
  return frame.evaluate(
    `(() => { const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight + 1; })()`,
  );
}
