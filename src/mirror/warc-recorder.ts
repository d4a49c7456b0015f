import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';
import { convertErrors, Failure } from '../contract/failure.ts';
import { unwritable } from '../contract/files/draft-file.ts';
import { writeFully } from '../contract/files/file-bytes.ts';
import type { Exchange } from '../http/exchange.ts';
import { VERSION } from '../version.ts';
import { digestOf, encodeRecord, gzipMember, type NewRecord } from '../warc/encode-record.ts';
import { validEnd } from '../warc/valid-end.ts';

const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';

/** Appends the exchanges of a mirror to a WARC. An incomplete record that a crash left is removed first. */
export class WarcRecorder {
  readonly #path: string;
  readonly #file: number;
  readonly #info: string;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, file: number, info: string) {
    this.#path = path;
    this.#file = file;
    this.#info = info;
  }

  /**
   * Opens a WARC, or creates it, and appends a record that describes the run. The records are gzip members if the name
   * ends in `.gz`.
   * @throws Failure not-ours if the file is not a WARC, file-system
   */
  static async open(path: string, baseUrl: string, userAgent: string): Promise<WarcRecorder> {
    const file = attempt(path, () => openSync(path, 'a+'));
    try {
      const end = attempt(path, () => validEnd(file));
      if (end === undefined) throw notWarc(path);
      attempt(path, () => ftruncateSync(file, end));
      const recorder = new WarcRecorder(path, file, newId());
      const lines = [
        `software: palimpsest ${VERSION}`,
        'format: WARC File Format 1.1',
        'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
        `isPartOf: ${baseUrl}`,
        'description: Requests and responses of palimpsest mirror, as they were on the wire',
        `http-header-user-agent: ${userAgent}`,
      ];
      const block = Buffer.from(`${lines.join('\r\n')}\r\n`);
      await recorder.#append([{ type: 'warcinfo', id: recorder.#info, date: new Date().toISOString(), block: [block] }]);
      return recorder;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Appends a request and its response. @throws Failure file-system */
  readonly record = async (exchange: Exchange): Promise<void> => {
    const { url, startedAt, remoteAddress, request, response, status, body, truncated } = exchange;
    const date = new Date(startedAt).toISOString();
    const [responseId, requestId] = [newId(), newId()];
    const common = { 'WARC-Warcinfo-ID': this.#info, ...(remoteAddress === undefined ? {} : { 'WARC-IP-Address': remoteAddress }) };
    const answer = { id: responseId, date, url, block: response };
    const answered: NewRecord =
      truncated !== undefined
        ? { ...answer, type: 'response', headers: { ...common, 'WARC-Truncated': truncated } }
        : status === 304
          ? { ...answer, type: 'revisit', headers: { ...common, 'WARC-Profile': NOT_MODIFIED } }
          : { ...answer, type: 'response', headers: common, payloadDigest: digestOf(body) };
    const asked = { ...common, 'WARC-Concurrent-To': responseId };
    await this.#append([answered, { type: 'request', id: requestId, date, url, headers: asked, block: [request] }]);
  };

  /** Waits for the last record, and closes the file. */
  async close(): Promise<void> {
    await this.#last.catch(() => {});
    try {
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  /** Appends records with one write, after the earlier records are written. */
  #append(records: readonly NewRecord[]): Promise<void> {
    this.#last = this.#last.then(async () => {
      const encoded = records.map(encodeRecord);
      const isCompressed = this.#path.toLowerCase().endsWith('.gz');
      const bytes = Buffer.concat(isCompressed ? await Promise.all(encoded.map(gzipMember)) : encoded.flat());
      attempt(this.#path, () => writeFully(this.#file, bytes));
    });
    return this.#last;
  }
}

function newId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

function attempt<T>(path: string, work: () => T): T {
  return convertErrors(work, (cause) => unwritable(path, cause, '--warc'));
}

function notWarc(path: string): Failure {
  return new Failure('not-ours', `${path} is not a WARC to which records can be appended`, {
    place: { file: path },
    expected: 'no such file, or a WARC that palimpsest mirror wrote',
    found: 'other bytes',
    hint: 'name another file with --warc; nothing was changed',
  });
}
