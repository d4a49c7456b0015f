import { basename, dirname } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import { STORE_APPLICATION_ID } from '../../contract/files/markers.ts';
import { schemeOf } from '../../contract/files/url-scheme.ts';
import { shellWord } from '../../contract/hint.ts';
import { cut } from '../../contract/json.ts';
import type { HintCommand, ReadingCommand, Verb } from '../hint-command.ts';
import { type Input, STANDARD_INPUT } from '../source.ts';
import { isCompressed } from '../unpack/decompression.ts';
import { isTar, isZip } from '../unpack/detect-format.ts';

/** What a hint needs to name the commands that convert a file. */
interface Conversion {
  readonly name: string;
  /** The name of the file, quoted for a shell. */
  readonly file: string;
  readonly isUrl: boolean;
  /** A folder to unpack the file into. */
  readonly folder: string;
  /** The command of the run without files like this one. */
  readonly withoutFile: () => string;
  /** The archive that the file is a member of. */
  readonly archive: string | undefined;
  readonly command: HintCommand;
  /** Returns the command of the run for another source. Without a source: for the sources of the run. */
  readonly run: (source?: string) => string;
}

type NamedInput = Pick<Input, 'name' | 'member'>;

type FormatHint = (conversion: Conversion) => string;

interface Format {
  /** The format as an error names it. */
  readonly kind: string;
  readonly detect: (head: Buffer, verb: Verb) => boolean;
  readonly hint: FormatHint;
}

const startsWith =
  (...signatures: readonly string[]) =>
  (head: Buffer) =>
    signatures.some((signature) => head.subarray(0, signature.length).toString('latin1') === signature);
/** Formats that another program converts. The file must be on this machine. */
const converted =
  (hint: FormatHint): FormatHint =>
  (conversion) =>
    conversion.archive === undefined
      ? hint(conversion)
      : `unpack ${conversion.archive} and convert the file there, or leave such files out: ${conversion.withoutFile()}`;
const unpackedBy = (command: FormatHint): FormatHint =>
  converted(
    (conversion) =>
      `unpack it: ${command({ ...conversion, folder: shellWord(conversion.folder) })} && ${conversion.run(conversion.folder)}`,
  );
/** Archives and compressed files are supported, but not inside of each other more than once. */
const nested = ({ archive, file }: Conversion) =>
  `unpack ${archive ?? file} first, and name the folder with its files as the source: only an archive of compressed files is read directly`;
const convertedBy = (program: (file: string) => string): FormatHint =>
  converted(({ file, run }) => `convert it: ${program(file)} | ${run('-')}`);
const decodedFrom = (encoding: string): FormatHint => convertedBy((file) => `iconv -f ${encoding} -t UTF-8 ${file}`);
const leftOut: FormatHint = ({ name, isUrl, withoutFile, run }) => {
  if (isUrl)
    return 'open the address in a browser: it may need a login, or show a page about the file. To read a live service, use palimpsest mirror';
  // if the file is the only source, a pattern would leave nothing
  return run() === run(name)
    ? 'name another file: this one has no data that palimpsest can read'
    : `leave such files out: ${withoutFile()}`;
};
const exported = (store: string, command: HintCommand) =>
  `${command('export ndjson', undefined, { '--store': store, '--to': '-' })} | ${command('import', '-')}`;
/** For tables, which cannot be imported. */
const exportedAgain = ({ command }: Conversion) => `export the store again as NDJSON: ${exported('STORE', command)}`;

/** Binary formats. The first that matches counts, so a format comes before the ones that it contains. */
const BINARY: readonly Format[] = [
  {
    kind: 'UTF-32',
    detect: startsWith('\xff\xfe\0\0', '\0\0\xfe\xff', '{\0\0\0', '[\0\0\0', '\0\0\0{', '\0\0\0['),
    hint: decodedFrom('UTF-32'),
  },
  { kind: 'UTF-16', detect: startsWith('\xff\xfe', '\xfe\xff'), hint: decodedFrom('UTF-16') },
  { kind: 'UTF-16 (little endian)', detect: startsWith('{\0', '[\0'), hint: decodedFrom('UTF-16LE') },
  { kind: 'UTF-16 (big endian)', detect: startsWith('\0{', '\0['), hint: decodedFrom('UTF-16BE') },
  { kind: 'a ZIP file', detect: isZip, hint: nested },
  { kind: 'a tar archive', detect: isTar, hint: nested },
  { kind: 'a 7z archive', detect: startsWith("7z\xbc\xaf'\x1c"), hint: unpackedBy(({ file, folder }) => `7z x ${file} -o${folder}`) },
  { kind: 'a RAR archive', detect: startsWith('Rar!\x1a\x07'), hint: unpackedBy(({ file, folder }) => `unrar x ${file} ${folder}/`) },
  {
    kind: 'LZ4 data',
    detect: startsWith('\x04\x22\x4d\x18'),
    hint: converted(({ file, run }) => `decompress it: lz4cat ${file} | ${run('-')}`),
  },
  { kind: 'data that is compressed several times', detect: isCompressed, hint: nested },
  {
    kind: 'a palimpsest store',
    detect: (head) => isSqlite(head) && head.length >= 72 && head.readUInt32BE(68) === STORE_APPLICATION_ID,
    hint: converted(({ name, command }) => `export it: ${exported(name, command)}`),
  },
  {
    kind: 'an SQLite database',
    detect: isSqlite,
    hint: converted(({ file, run }) => `export a table: sqlite3 -json ${file} 'SELECT * FROM TABLE' | ${run('-')}`),
  },
  {
    kind: 'a Parquet file',
    detect: startsWith('PAR1'),
    // the columns of an export differ from the fields that are imported
    hint: converted(
      (conversion) =>
        `if palimpsest exported it, ${exportedAgain(conversion)}; if not, convert it: duckdb -json -c "SELECT * FROM read_parquet('${conversion.name}')" | ${conversion.run('-')}`,
    ),
  },
  { kind: 'a PNG image', detect: startsWith('\x89PNG\r\n'), hint: leftOut },
  { kind: 'a JPEG image', detect: startsWith('\xff\xd8\xff'), hint: leftOut },
  { kind: 'a GIF image', detect: startsWith('GIF87a', 'GIF89a'), hint: leftOut },
  { kind: 'a PDF document', detect: startsWith('%PDF-'), hint: leftOut },
  // a NUL is not possible in JSON, and other text does not have it
  { kind: 'binary data', detect: (head) => head.includes(0), hint: leftOut },
];

/** Formats of text that is not JSON. */
const TEXT: readonly Format[] = [
  {
    kind: 'a file of a Twitter archive',
    detect: (head, verb) => verb === 'import' && startsWith('window.')(head),
    hint: ({ name, archive, command }) =>
      archive === undefined
        ? `name the folder of the archive: ${command('observe', archiveOf(name))}`
        : `read it with observe: ${command('observe', archive)}`,
  },
  { kind: 'HTML or XML', detect: startsWith('<'), hint: leftOut },
  {
    kind: 'a web archive (WARC)',
    detect: startsWith('WARC/'),
    hint: converted(({ name, command }) => `read web archives by name with import: ${command('import', name)}`),
  },
  { kind: 'tab-separated values', detect: hasColumns('\t'), hint: convertedBy((file) => `mlr --itsv --ojsonl cat ${file}`) },
  {
    kind: 'a CSV export of palimpsest',
    detect: startsWith('id,account,data_type,', 'screen_name,stable_id,display_name,'),
    hint: converted((conversion) => `CSV cannot be imported; ${exportedAgain(conversion)}`),
  },
  { kind: 'CSV', detect: hasColumns(','), hint: convertedBy((file) => `mlr --icsv --ojsonl cat ${file}`) },
  { kind: 'CSV with semicolons', detect: hasColumns(';'), hint: convertedBy((file) => `mlr --icsv --ifs ';' --ojsonl cat ${file}`) },
];

/**
 * Returns the failure for a source if its first bytes show that it is in an unsupported format. Otherwise returns undefined.
 * @param head the first {@link HEADER_BYTES} bytes, or all if there are fewer
 */
export function unsupportedFormat(head: Buffer, input: NamedInput, reading: ReadingCommand): Failure | undefined {
  const { verb } = reading;
  const binary = BINARY.find(({ detect }) => detect(head, verb));
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  const start = text.trimStart();
  const format = binary ?? TEXT.find(({ detect }) => start !== '' && detect(Buffer.from(start), verb));
  if (format === undefined) return undefined;
  const { name: file } = input;
  const line = text.slice(0, text.length - start.length).split('\n').length;
  const what =
    binary === undefined
      ? { place: { file, line }, expected: 'JSON', found: `${format.kind}: ${cut(start.trim())}` }
      : { place: { file }, expected: 'JSON in UTF-8, which may be compressed', found: format.kind };
  const hint = format.hint(conversionOf(input, reading));
  return new Failure(binary === undefined ? 'bad-json' : 'bad-encoding', `${file} is ${format.kind}`, { ...what, hint });
}

function archiveOf(file: string): string {
  const folder = dirname(file);
  return file === 'FILE' ? 'FOLDER' : basename(folder) === 'data' ? dirname(folder) : folder;
}

/** Returns what to do about text that is not UTF-8. Windows-1252 has all printable characters of Latin-1. */
export function decodingHint(input: NamedInput, reading: ReadingCommand): string {
  return decodedFrom('WINDOWS-1252')(conversionOf(input, reading));
}

/** Names of files that never have data. */
const NO_DATA_NAME = /\.(png|jpe?g|gif|webp|svg|ico|pdf|html?|css|mp[34]|mov|db|sqlite|parquet)$/i;

function conversionOf({ name, member }: NamedInput, { verb, command }: ReadingCommand): Conversion {
  const isFile = name !== STANDARD_INPUT && schemeOf(name) === undefined;
  const stem = name.replace(/\.\w+$/, '');
  // a pattern of a file with data would also match good files, such as those of other nights with the same name
  const extension = NO_DATA_NAME.exec(name)?.[0];
  return {
    name: isFile ? name : 'FILE',
    file: isFile ? shellWord(name) : 'FILE',
    isUrl: member === undefined && /^https?:/.test(name),
    folder: !isFile ? 'FOLDER' : stem === name ? `${name}-unpacked` : stem,
    withoutFile: () => command(verb, undefined, extension === undefined ? { '--rejects': 'FILE' } : { '--exclude': `*${extension}` }),
    archive: member?.archive,
    command,
    run: (source) => command(verb, source),
  };
}

function isSqlite(head: Buffer): boolean {
  return head.subarray(0, 16).toString('latin1') === 'SQLite format 3\0';
}

/** Whether the first line has a separator and looks like the names of columns: no JSON, no sentence. */
function hasColumns(separator: string): (head: Buffer) => boolean {
  return (head) => {
    const [line = ''] = head.toString('utf8').split(/\r?\n/, 1);
    const names = line.split(separator);
    return names.length > 1 && names.every((name) => /^\s*("[^"]*"|[\w .:@-]{1,60})\s*$/.test(name));
  };
}
