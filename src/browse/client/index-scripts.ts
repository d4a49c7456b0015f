import { searchPath } from '../search/search-terms.ts';
import type { IndexFile } from './find-accounts.ts';
import { loadScript } from './page-elements.ts';

declare global {
  interface Window {
    /** Receives a file of the search index from its script. */
    palimpsest: (file: IndexFile) => void;
  }
}

const indexFiles = new Map<string, Promise<IndexFile>>();

/** Loads a file of the search index. */
export function loadIndex(prefix: string): Promise<IndexFile> {
  const known = indexFiles.get(prefix) ?? received(prefix);
  indexFiles.set(prefix, known);
  return known;
}

function received(prefix: string): Promise<IndexFile> {
  return new Promise((resolve, reject) => {
    receivers.set(prefix, resolve);
    loadScript(searchPath(prefix)).catch((error) => {
      indexFiles.delete(prefix);
      reject(error);
    });
  });
}

const receivers = new Map<string, (file: IndexFile) => void>();

export function receiveIndex(): void {
  window.palimpsest = (file) => receivers.get(file[0])?.(file);
}
