import { searchPath } from '../search/search-terms.ts';
import type { IndexFile } from './find-accounts.ts';
import { element, rootPath } from './page-elements.ts';

declare global {
  interface Window {
    /** Receives a file of the search index from its script. */
    palimpsest: (file: IndexFile) => void;
  }
}

const indexFiles = new Map<string, Promise<IndexFile>>();

/** Loads a file of the search index. A page from file:// can load only scripts, so each file is one. */
export function loadIndex(prefix: string): Promise<IndexFile> {
  const known = indexFiles.get(prefix) ?? loadScript(prefix);
  indexFiles.set(prefix, known);
  return known;
}

function loadScript(prefix: string): Promise<IndexFile> {
  return new Promise((resolve, reject) => {
    const script = element('script', { src: rootPath() + searchPath(prefix) });
    receivers.set(prefix, resolve);
    script.addEventListener('load', () => script.remove());
    script.addEventListener('error', () => {
      script.remove();
      indexFiles.delete(prefix);
      reject(new Error('the search index cannot be loaded'));
    });
    document.head.append(script);
  });
}

const receivers = new Map<string, (file: IndexFile) => void>();

export function receiveIndex(): void {
  window.palimpsest = (file) => receivers.get(file[0])?.(file);
}
