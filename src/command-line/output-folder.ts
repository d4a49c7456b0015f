import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { path } from './parsers.ts';

/** The endings of archives, which no new folder should have. */
const ARCHIVE = /\.(tar|tgz|tbz2?|txz|gz|zst|bz2|xz|zip|7z|rar|warc|wacz)\/*$/i;
const TABLE = /\.(csv|tsv|parquet|json|jsonl|ndjson|xlsx)\/*$/i;

/** Parses the path of a folder to write. Rejects names such as `bag.zip`, because they would become folders. */
export function folder(text: string): string {
  const [ending] = ARCHIVE.exec(text) ?? [];
  if (ending === undefined || isFolder(text)) return path(text);
  throw new InvalidArgumentError(`a name that does not end in ${ending}, because a folder is written`);
}

/** Parses the path of a tree to build. A ZIP is the only archive that can be one. */
export function folderOrZip(text: string): string {
  if (text.endsWith('.zip') || !ARCHIVE.test(text) || isFolder(text)) return path(text);
  throw new InvalidArgumentError('a folder, or a file with a name that ends in .zip');
}

/** Returns a parser that rejects names such as `history.csv.gz` and `history.parquet` for CSV, because they would become folders. */
export function folderOrTable(extension: string): (text: string) => string {
  return (text) => {
    const isOther = ARCHIVE.test(text) || TABLE.test(text);
    if (text.toLowerCase().endsWith(`.${extension}`) || !isOther || isFolder(text)) return path(text);
    throw new InvalidArgumentError(`a folder, or a file with a name that ends in .${extension}, which is not compressed`);
  };
}

function isFolder(text: string): boolean {
  return existsSync(`${text}/.`);
}
