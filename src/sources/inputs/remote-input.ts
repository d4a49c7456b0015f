import { basename } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import type { Input, RemoteSources } from '../source.ts';
import type { FileFilter } from './file-filter.ts';

/** Names of files that are archives or compressed. Reading the content of every object to detect this would cost a request. */
const ARCHIVE_NAME = /\.(tar|tgz|tbz2?|txz|tzst|zip|gz|bz2|xz|zst)$/i;

/** Returns the input for a source on another machine: a URL, or a prefix of an object store with all its objects. */
export function remoteInput(address: string, remote: RemoteSources, filter: FileFilter | undefined): Input {
  const isUrl = /^https?:/i.test(address);
  const filtered = (file: string) => (filter === undefined ? {} : { filter: filter.inside(file, true) });
  const input = { size: undefined, open: () => remote.download(address), isNamed: true };
  if (!isUrl) return { ...input, name: address, pages: () => objectsAt(address, remote, filter), ...filtered('') };
  const { origin, pathname } = new URL(address);
  // a query often has a signature, which is a secret
  return { ...input, name: origin + pathname, ...filtered(basename(pathname)) };
}

/** Hidden objects and markers of folders are skipped. */
async function* objectsAt(address: string, remote: RemoteSources, filter: FileFilter | undefined): AsyncGenerator<Input> {
  let objects = 0;
  for await (const { name, path, size, open } of remote.objects(address)) {
    const parts = path.split('/');
    if (name.endsWith('/') || parts.some((part) => part.startsWith('.'))) continue;
    objects += 1;
    const inSource = path === '' ? basename(name) : path;
    const mayBeRead = filter === undefined || filter.accepts(inSource) || (!filter.skips(inSource) && ARCHIVE_NAME.test(inSource));
    if (mayBeRead) yield { name, size, open, ...(filter === undefined ? {} : { filter: filter.inside(inSource, path === '') }) };
  }
  if (objects > 0) return;
  throw new Failure('no-source', `${address} has no objects`, {
    place: { file: address },
    expected: 'an object, or a prefix with objects',
    found: 'no object with this key or below it',
    hint: 'check the bucket and the prefix',
  });
}
