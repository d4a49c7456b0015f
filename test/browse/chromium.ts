import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

export interface Context {
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
  readonly emulateMedia: (media: { readonly colorScheme: 'light' | 'dark' }) => Promise<void>;
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

/** Starts Debian's Chromium. */
export async function launch(): Promise<Browser> {
  const library = await import(pathToFileURL(inPackage('playwright-core/index.mjs')).href);
  const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
  return library.chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...SITE] });
}

/** Writes files below a folder, and returns its `file://` URL with a slash at the end. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): string {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return `${pathToFileURL(folder).href}/`;
}

const TYPES: { readonly [suffix: string]: string } = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Serves the files of a folder, as a static host does. */
export async function serveFolder(folder: string): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    try {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
      const bytes = readFileSync(join(folder, path));
      response.writeHead(200, { 'Content-Type': TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text/plain' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}
