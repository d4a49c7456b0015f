import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { packTar, type TarHeader } from 'modern-tar';
import { type Options, ZipFile } from 'yazl';
import { type Requirement, requirement } from './requirement.ts';

/** The programs that decompress what Node.js cannot. */
export const programs: Requirement = requirement('bzip2, xz or zstd (bzip2, xz-utils, zstd)', () =>
  ['bzip2', 'xz', 'zstd'].every((program) => {
    try {
      execFileSync(program, ['--version'], { input: '', stdio: ['pipe', 'ignore', 'ignore'] });
      return true;
    } catch {
      return false;
    }
  }),
);

export type Compress = (bytes: Uint8Array | string) => Buffer;

const by =
  (program: string): Compress =>
  (bytes) =>
    execFileSync(program, ['-c'], { input: bytes, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

export const bzip2: Compress = by('bzip2');
export const zstd: Compress = by('zstd');
export const COMPRESSIONS: readonly (readonly [name: string, Compress])[] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['bzip2', bzip2],
  ['xz', by('xz')],
  ['Zstandard', zstd],
];

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Returns a tar archive with files in their order. */
export async function tarOf(files: Files, more: readonly { readonly header: TarHeader }[] = []): Promise<Buffer> {
  const entries = Object.entries(files).map(([name, content]) => {
    const body = Buffer.from(content);
    return { header: { name, size: body.length, type: 'file' as const }, body: new Uint8Array(body) };
  });
  return Buffer.from(await packTar([...more, ...entries]));
}

/** Returns a ZIP file. @param options how yazl writes its members; `forceZip64Format` also for the list of members */
export async function zipOf(files: Files, options: Partial<Options> = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name, options);
  zip.end({ comment: '', forceZip64Format: options.forceZip64Format ?? false });
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
