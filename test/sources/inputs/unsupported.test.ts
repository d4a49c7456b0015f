import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { STORE_APPLICATION_ID } from '../../../src/contract/files/markers.ts';
import { type HintCommand, plainCommand, type Verb } from '../../../src/sources/hint-command.ts';
import { decode } from '../../../src/sources/inputs/file-values.ts';

const command: HintCommand = (verb, source = 'saved pages/', options = {}) =>
  `${plainCommand(verb, source, options)}${verb === 'observe' ? ' --from neutral' : ''}${verb === 'export ndjson' ? '' : ' --store my.db'}`;

/** Returns the failure of an input with the given bytes, which arrive in pieces of a few bytes. */
async function failureOf(name: string, bytes: Uint8Array, verb: Verb = 'import'): Promise<unknown> {
  let isClosed = false;
  async function* open() {
    try {
      for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
    } finally {
      isClosed = true;
    }
  }
  try {
    for await (const _ of decode({ name, size: undefined, open }, { verb, command }));
  } catch (error) {
    expect(isClosed).toBe(true);
    return error;
  }
  return undefined;
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
/** The header of a tar archive with one file, and its checksum. */
function tar(): Buffer {
  const archive = Buffer.alloc(1024);
  archive.write('page.json');
  archive.write('00000000000\0', 124);
  archive.write('        ', 148);
  archive.write('0ustar', 156);
  const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return archive;
}
function sqlite(application: number): Buffer {
  const file = Buffer.alloc(4096);
  file.write('SQLite format 3\0');
  file.writeUInt32BE(application, 68);
  return file;
}
const next = 'palimpsest import - --store my.db';

describe('decode', () => {
  it.each<[string, string, Buffer, string]>([
    ['a ZIP file', 'a.zip', bytes('PK\x03\x04....'), 'unpack a.zip first, and name the folder with its files as the source'],
    ['a tar archive', 'a.tar', tar(), 'unpack a.tar first'],
    ['a tar archive', 'a.tar.gz', gzipSync(tar()), 'unpack a.tar.gz first'],
    ['LZ4 data', 'a.lz4', bytes('\x04\x22\x4d\x18'), `lz4cat a.lz4 | ${next}`],
    ['a 7z archive', 'a.7z', bytes("7z\xbc\xaf'\x1c"), '7z x a.7z -oa && palimpsest import a --store my.db'],
    ['a RAR archive', 'a.rar', bytes('Rar!\x1a\x07\x01\0'), 'unrar x a.rar a/ && palimpsest import a --store my.db'],
    ['data that is compressed several times', 'a.gz', gzipSync(gzipSync('{}')), 'unpack a.gz first'],
    ['an SQLite database', 'a.db', sqlite(0), `sqlite3 -json a.db 'SELECT * FROM TABLE' | ${next}`],
    ['a palimpsest store', 'a.db', sqlite(STORE_APPLICATION_ID), `palimpsest export ndjson --store a.db --to - | ${next}`],
    ['a Parquet file', 'a.parquet', bytes('PAR1...'), `again as NDJSON: palimpsest export ndjson --store STORE --to - | ${next}; if not`],
    ['a PNG image', 'x/a.png', bytes('\x89PNG\r\n\x1a\n'), "palimpsest import 'saved pages/' --exclude '*.png' --store my.db"],
    ['a JPEG image', 'a.jpg', bytes('\xff\xd8\xff\xe0'), "palimpsest import 'saved pages/' --exclude '*.jpg' --store my.db"],
    ['a GIF image', 'a.gif', bytes('GIF89a'), "--exclude '*.gif'"],
    // a pattern of all JSON files would leave nothing to read
    ['a PDF document', 'x/a.json', bytes('%PDF-1.7'), '--rejects FILE'],
    ['a PDF document', 'x/a.b.NDJSON', bytes('%PDF-1.7'), '--rejects FILE'],
    ['a PDF document', 'a.pdf', bytes('%PDF-1.7'), "--exclude '*.pdf'"],
    ['binary data', 'x/movie', bytes('abc\0def'), '--rejects FILE'],
    ['UTF-16', 'a.json', Buffer.from('\ufeff{"a":1}', 'utf16le'), `iconv -f UTF-16 -t UTF-8 a.json | ${next}`],
    ['UTF-16 (little endian)', 'a.json', Buffer.from('{"a":1}', 'utf16le'), `iconv -f UTF-16LE -t UTF-8 a.json | ${next}`],
    ['UTF-16 (big endian)', 'a.json', bytes('\0{\0"\0a'), `iconv -f UTF-16BE -t UTF-8 a.json | ${next}`],
    ['UTF-32', 'a.json', bytes('{\0\0\0"\0\0\0'), `iconv -f UTF-32 -t UTF-8 a.json | ${next}`],
  ])('rejects %s, %s, with the command that makes it readable', async (found, name, content, hint) => {
    expect(await failureOf(name, content)).toMatchObject({
      code: 'bad-encoding',
      message: `${name} is ${found}`,
      place: { file: name },
      found,
      hint: expect.stringContaining(hint),
    });
  });

  it.each<[string, string, string, string, number]>([
    ['HTML or XML: <!DOCTYPE html><p>', 'a.html', '\n\n<!DOCTYPE html><p>', "palimpsest import 'saved pages/' --exclude '*.html'", 3],
    ['CSV: screen_name,bio', 'a.csv', 'screen_name,bio\nnina,"x"\n', `mlr --icsv --ojsonl cat a.csv | ${next}`, 1],
    ['CSV with semicolons: id;bio', 'a.csv', 'id;bio\r\n1;x', `mlr --icsv --ifs ';' --ojsonl cat a.csv | ${next}`, 1],
    ['tab-separated values: id\tbio', 'a.tsv', '\ufeffid\tbio\n1\tx', `mlr --itsv --ojsonl cat a.tsv | ${next}`, 1],
    [
      'a web archive (WARC): WARC/1.1',
      'a.warc',
      'WARC/1.1\r\n',
      'read web archives by name with import: palimpsest import a.warc --store my.db',
      1,
    ],
    ['a file of a Twitter archive: window.YTD', 'account.js', 'window.YTD.account.part0 = [', 'palimpsest observe .', 1],
  ])('rejects %s with the command that makes it readable', async (found, name, content, hint, line) => {
    expect(await failureOf(name, Buffer.from(content))).toMatchObject({
      code: 'bad-json',
      place: { file: name, line },
      found: expect.stringContaining(found),
      hint: expect.stringContaining(hint),
    });
  });

  it('names the archive of a member that is an archive, or has to be converted', async () => {
    const member = { archive: 'a.tar', path: 'b/c' };
    const hints = await Promise.all(
      [tar(), bytes('\x89PNG\r\n'), Buffer.from('id,bio\n1,x')].map(async (content) => {
        const open = async function* () {
          yield content;
        };
        const reading = decode({ name: 'a.tar: b/c', size: undefined, open, member }, { verb: 'import', command });
        return reading.next().then(String, ({ hint }) => hint);
      }),
    );
    expect(hints).toEqual([
      'unpack a.tar first, and name the folder with its files as the source: only an archive of compressed files is read directly',
      "leave such files out: palimpsest import 'saved pages/' --rejects FILE --store my.db",
      "unpack a.tar and convert the file there, or leave such files out: palimpsest import 'saved pages/' --rejects FILE --store my.db",
    ]);
  });

  it('names the command of the run and its options', async () => {
    const failure = await failureOf('a.lz4', bytes('\x04\x22\x4d\x18'), 'observe');
    expect(failure).toMatchObject({ hint: 'decompress it: lz4cat a.lz4 | palimpsest observe - --from neutral --store my.db' });
  });

  it('rejects Latin-1 with the command that converts it', async () => {
    expect(await failureOf('a.json', Buffer.from('{"bio":"caf\xe9"}', 'latin1'))).toMatchObject({
      code: 'bad-encoding',
      found: expect.stringContaining('Latin-1'),
      hint: expect.stringContaining('iconv -f WINDOWS-1252 -t UTF-8 a.json | palimpsest import -'),
    });
  });

  it('does not judge other text, which may be broken JSON', async () => {
    for (const text of ['', ' ', 'hello', '"x"', '7', 'a sentence, and another one!', '\ufeff{"a":1}']) {
      expect(await failureOf('a', Buffer.from(text))).toBeUndefined();
    }
  });
});
