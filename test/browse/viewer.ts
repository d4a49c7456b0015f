import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { inPackage } from '../conformance/child.ts';
import { startOrigin } from '../conformance/subjects/static-origin.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Frame, Page } from './chromium.ts';

/** ReplayWeb.page on this machine, with a WACZ. */
interface Viewer {
  readonly url: string;
  /** Returns the address at which the viewer shows a page of the archive. */
  readonly urlOf: (archived: string) => string;
  /** Returns the archived document, as soon as the viewer shows it. */
  readonly document: (page: Page) => Promise<Frame>;
}

/** Serves ReplayWeb.page and a WACZ until the test ends. */
export async function serveViewer(wacz: string): Promise<Viewer> {
  const folder = temporaryFolder();
  cpSync(inPackage('replaywebpage'), folder, { recursive: true });
  copyFileSync(wacz, join(folder, 'history.wacz'));
  const origin = await startOrigin(folder);
  onTestFinished(origin.child.stop);
  const url = `${origin.url}/`;
  return {
    url,
    urlOf: (archived) => `${url}?source=/history.wacz#view=pages&url=${encodeURIComponent(archived)}`,
    document: archivedDocument,
  };
}

async function archivedDocument(page: Page): Promise<Frame> {
  for (;;) {
    const frame = page.frames().find((each) => /mp_\//.test(each.url()));
    if (frame !== undefined) return frame;
    await setTimeout(20);
  }
}
