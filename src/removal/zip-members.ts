import { closeSync, createReadStream, openSync } from 'node:fs';
import { openZip } from '../sources/unpack/zip-members.ts';
import { ZipDamage } from '../zip/member.ts';
import { ZipReader } from '../zip/zip-reader.ts';

/** The members of a ZIP, which can be read until it is closed. */
interface OpenMembers {
  readonly members: readonly { readonly path: string; readonly pieces: () => AsyncIterable<Uint8Array> }[];
  readonly close: () => void;
}

/**
 * Opens a ZIP of `build`, or of another program.
 * @param name the name of the ZIP in errors
 * @throws Failure bad-archive if it is damaged
 */
export async function openMembers(name: string, path: string): Promise<OpenMembers> {
  const own = openOwn(path);
  if (own !== undefined) return own;
  const { members, close } = await openZip({ name, size: undefined, open: () => createReadStream(path) }, path, true);
  return { members: members.map(({ member, open }) => ({ path: member?.path ?? '', pieces: open })), close };
}

/** Opens a ZIP with an index. Its members are found and read faster. */
function openOwn(path: string): OpenMembers | undefined {
  const file = openSync(path, 'r');
  try {
    const reader = new ZipReader(file);
    const members = Array.from(reader.paths(), (member) => ({
      path: member,
      pieces: async function* () {
        yield reader.read(member) ?? Buffer.of();
      },
    }));
    return { members, close: () => reader.close() };
  } catch (error) {
    closeSync(file);
    if (error instanceof ZipDamage) return undefined;
    throw error;
  }
}
