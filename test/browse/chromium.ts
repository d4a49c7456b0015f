import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { inPackage, installed, program, SITE_NAME } from '../conformance/child.ts';
import type { Requirement } from '../support/requirement.ts';

const [chromium, playwright] = [program('chromium'), installed('playwright-core')];

/** Chromium, controlled by Playwright. */
export const CHROMIUM: Requirement = { skip: chromium.skip || playwright.skip, reason: chromium.reason + playwright.reason };

/** The parts of Playwright that the tests use. */
export interface Browser {
  readonly newContext: (options?: ContextOptions) => Promise<Context>;
  readonly close: () => Promise<void>;
}

interface ContextOptions {
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: Size;
  readonly colorScheme?: 'light' | 'dark';
  readonly deviceScaleFactor?: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Context {
  readonly setDefaultTimeout: (ms: number) => void;
  readonly newPage: () => Promise<Page>;
  readonly close: () => Promise<void>;
}

/** A document: that of a page, or of a frame in it. */
export interface Frame {
  readonly goto: (url: string) => Promise<unknown>;
  readonly url: () => string;
  readonly title: () => Promise<string>;
  readonly evaluate: <T>(expression: string) => Promise<T>;
  readonly waitForURL: (url: RegExp) => Promise<void>;
  readonly locator: (selector: string) => Locator;
}

export interface Page extends Frame {
  readonly frames: () => readonly Frame[];
  readonly setViewportSize: (size: Size) => Promise<void>;
  readonly emulateMedia: (media: {
    readonly colorScheme?: 'light' | 'dark';
    readonly media?: 'screen' | 'print';
    readonly forcedColors?: 'active';
  }) => Promise<void>;
  readonly addInitScript: (script: string) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly goBack: () => Promise<unknown>;
  readonly route: (
    url: RegExp,
    handler: (route: { readonly continue: () => Promise<void>; readonly abort: () => Promise<void> }) => unknown,
  ) => Promise<void>;
  readonly on: (
    event: 'request' | 'pageerror' | 'console' | 'dialog',
    listener: (event: {
      readonly url: () => string;
      readonly text: () => string;
      readonly type: () => string;
      readonly location: () => { readonly url: string };
      readonly message: string;
    }) => void,
  ) => void;
  readonly keyboard: { readonly press: (key: string) => Promise<void>; readonly type: (text: string) => Promise<void> };
}

export interface Locator {
  readonly click: () => Promise<void>;
  readonly press: (key: string) => Promise<void>;
  readonly fill: (text: string) => Promise<void>;
  readonly count: () => Promise<number>;
  readonly first: () => Locator;
  readonly last: () => Locator;
  readonly nth: (index: number) => Locator;
  readonly allTextContents: () => Promise<string[]>;
  readonly textContent: () => Promise<string | null>;
  readonly getAttribute: (name: string) => Promise<string | null>;
  readonly waitFor: () => Promise<void>;
  readonly locator: (selector: string) => Locator;
  readonly isVisible: () => Promise<boolean>;
  readonly isChecked: () => Promise<boolean>;
}

/** Resolves the host name of the test site to this machine, without TLS, and no other name. */
const SITE = [
  `--host-resolver-rules=MAP ${SITE_NAME} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
];

/** The part of Playwright that controls Chromium. */
interface ChromiumType {
  readonly launch: (options: object) => Promise<Browser>;
  readonly launchPersistentContext: (profile: string, options: object) => Promise<Context>;
}

/** Returns Playwright, and the options with which it starts Debian's Chromium. */
export async function chromiumOf(): Promise<{ readonly chromium: ChromiumType; readonly options: object }> {
  const library = await import(pathToFileURL(inPackage('playwright-core/index.mjs')).href);
  const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
  return { chromium: library.chromium, options: { executablePath, args: ['--no-sandbox', '--disable-gpu', ...SITE] } };
}

/** Starts Debian's Chromium. */
export async function launch(): Promise<Browser> {
  const { chromium, options } = await chromiumOf();
  return chromium.launch(options);
}

/**
 * Opens a page in a context of its own, until the test ends. The test fails if the page has an error, or requests what does not
 * begin with an address of its site.
 * @param isForeign whether errors about an address are not those of the site
 */
export async function visit(
  browser: Browser,
  url: string,
  site: string,
  options: ContextOptions = {},
  isForeign: (url: string) => boolean = () => false,
): Promise<Page> {
  const context = await browser.newContext(options);
  // the limit of the test is enough
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    const { url: from } = message.location();
    if (message.type() === 'error' && !isForeign(from)) problems.push(`${message.text()} ${from}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(site)) problems.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Waits until an expression is true in a document. The policy of the pages forbids the polling of Playwright, which needs eval. */
export async function until(frame: Frame, expression: string): Promise<void> {
  // the document can be replaced meanwhile
  while (!(await frame.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) await setTimeout(20);
}

/** Writes files below a folder, and returns its `file://` URL with a slash at the end. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): string {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return `${pathToFileURL(folder).href}/`;
}
