import { type CitedSite, citationsOf } from './citation-formats.ts';
import {
  allChanges,
  element,
  fieldOf,
  handleIn,
  intervalEnd,
  intervalStart,
  isRename,
  loadScript,
  nameOf,
  openDialog,
  presentHandle,
  rootPath,
  textOf,
  timeOf,
} from './page-elements.ts';

declare global {
  interface Window {
    /** The file of the site sets it. */
    palimpsestSite?: CitedSite;
  }
}

/**
 * Adds a button to each change and each rename of an account. It shows the permalink and citations, to copy them. Gives each permalink a
 * name of its own.
 */
export function addCitations(): void {
  for (const change of allChanges()) {
    const link = change.closest('.own') && change.querySelector<HTMLAnchorElement>('h4 + a[href*="#"]');
    if (!link) continue;
    link.ariaLabel = `Permalink: ${nameOf(change)}`;
    const button = element('button', { type: 'button', class: 'cite', 'aria-label': `Cite ${nameOf(change)}` }, 'Cite');
    button.addEventListener('click', () => void showCitations(change, link));
    change.querySelector('header')?.append(button);
  }
}

async function showCitations(change: HTMLElement, link: HTMLAnchorElement): Promise<void> {
  const site = await loadSite();
  const url = publicAddress(site.base_url, link.href);
  const [after, by] = [intervalStart(change)?.textContent, intervalEnd(change)?.textContent];
  const cited = {
    url,
    id: change.id.slice(1),
    title: titleOf(change),
    time: timeOf(change)?.dateTime ?? '',
    after,
    by,
    isRename: isRename(change),
  };
  const status = element('p', { role: 'status' });
  const parts = citationsOf(site, cited).map(([format, text]) => {
    const shown = element('pre', { tabindex: '0', role: 'group', 'aria-label': format }, text);
    const button = element('button', { type: 'button' }, `Copy ${format}`);
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        status.textContent = `${format} copied`;
      } catch {
        // browsers need HTTPS to write to the clipboard
        getSelection()?.selectAllChildren(shown);
        status.textContent = `${format} selected: copy it with the keyboard`;
      }
    });
    return element('section', {}, shown, button);
  });
  openDialog('citation', isRename(change) ? 'Cite this rename' : 'Cite this record', ...parts, status);
}

/** Returns what a citation calls a record, with the handle of that time. */
function titleOf(change: HTMLElement): string {
  if (isRename(change)) return `Rename of ${change.querySelector('del')?.textContent} to ${change.querySelector('ins')?.textContent}`;
  const [former, present] = [handleIn(change), presentHandle()];
  const handle = former === present ? present : `${former} (now ${present})`;
  const kind = change.matches('.F') ? '' : textOf(change) === '' ? ', removed' : ', changed';
  return `${fieldOf(change)} of ${handle}${kind}`;
}

/** Loads what the pages say about the site. Without the file, citations lack its publisher. */
export async function loadSite(): Promise<CitedSite> {
  if (window.palimpsestSite === undefined) await loadScript('browse/assets/site.js').catch(() => {});
  return window.palimpsestSite ?? { title: 'History of public profiles', base_url: '' };
}

/** Returns the public address of a page of the tree. If the site has none, it is the address in the browser. */
export function publicAddress(base_url: string, href: string): string {
  // a page below /as_of/ or on a disk has the same path in the tree
  const path = href.slice(new URL(rootPath() || '.', location.href).href.length);
  return base_url === '' ? href : `${base_url}/${path}`;
}

/** Writes the name, the address and the date below a page when it is printed. */
export function addPrintedAddress(): void {
  const line = element('p', { class: 'printed' });
  document.querySelector('footer')?.append(line);
  const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical][href^=http]');
  // a browser does not wait for a file when it prints. On the web, it knows an address of the page
  if (canonical === null && /^file:|^http:\/\/(localhost|127\.)/.test(location.href)) void loadSite();
  addEventListener('beforeprint', () => {
    const { base_url } = window.palimpsestSite ?? { base_url: '' };
    const address = canonical === null ? publicAddress(base_url, location.href) : canonical.href + location.hash;
    line.textContent = `${document.title}, ${address}, printed on ${new Date().toLocaleDateString('en-GB', { dateStyle: 'long' })}`;
  });
}
