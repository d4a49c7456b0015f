// cspell:words changerecord
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../src/store/connection.ts';
import { type LiveService, startService } from '../drf/live-service.ts';

/** A live Django REST Framework whose database the test changes while it is read. */
export interface GrowingService {
  /** The port that it answers on now. */
  readonly port: () => number;
  readonly grow: (records: number) => void;
  readonly remove: (id: number) => void;
  /** Runs SQL on its database. */
  readonly sql: (sql: string) => void;
  /** Ids of all its records. */
  readonly ids: () => number[];
  readonly restart: () => Promise<void>;
  /** Stops it before the end of the test. */
  readonly stop: () => Promise<void>;
}

const BASE = { previous: null, diff_html: '', web_archive_url: null };

export async function startGrowingService(
  folder: string,
  records: number,
  sizes: { page_size: number; account_page_size: number },
): Promise<GrowingService> {
  const ndjson = join(folder, 'history.ndjson');
  const database = join(folder, 'live.db');
  const accounts = Array.from({ length: Math.ceil(records / 5) }, (_, index) => ({
    screen_name: `account_${index}`,
    account_creation_date: '2010-11-29T21:18:15Z',
    profile_image_url: `https://images.example/${index}`,
    data: [],
    data_page_count: 0,
    display_name: '',
    website: null,
    location: '',
    bio: '',
  }));
  const lines = [
    ...accounts,
    ...Array.from({ length: records }, (_, index) => ({
      id: index + 1,
      account: `account_${index % accounts.length}`,
      data_type: 'Location',
      text: `place ${index}`,
      first_encountered_date: '2019-05-05T16:29:12Z',
      ...BASE,
    })),
  ];
  writeFileSync(ndjson, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let service: LiveService = await startService(ndjson, database, sizes);
  const open = <T>(work: (connection: Connection) => T): T => {
    const connection = new Connection(database, { timeout: 10_000 });
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    port: () => Number(new URL(service.baseUrl).port),
    grow: (count) =>
      open((connection) => {
        const next = Number(connection.value('SELECT max(id) FROM __main___changerecord')) + 1;
        for (let id = next; id < next + count; id += 1) {
          // one in four is of a new account
          const name = id % 4 === 0 ? `account_new_${id}` : 'account_1';
          if (id % 4 === 0) {
            connection
              .prepare(`INSERT INTO __main___account (screen_name, account_creation_date, profile_image_url, display_name, website, location, bio)
                VALUES (?, NULL, 'https://images.example/new', '', NULL, '', '')`)
              .run(name);
          }
          const account = `(SELECT id FROM __main___account WHERE screen_name = '${name}')`;
          connection.exec(`INSERT INTO __main___changerecord (id, account_id, data_type, previous_id, text, first_encountered_date, diff_html, web_archive_url)
            VALUES (${id}, ${account}, 'Location', NULL, 'late ${id}', '2020-05-05 16:29:12', '', NULL);
            UPDATE __main___account SET location = 'late ${id}' WHERE screen_name = '${name}'`);
        }
      }),
    remove: (id) => open((connection) => connection.exec(`DELETE FROM __main___changerecord WHERE id = ${id}`)),
    sql: (sql) => open((connection) => connection.exec(sql)),
    ids: () => open((connection) => connection.prepare<[], number>('SELECT id FROM __main___changerecord ORDER BY id DESC').pluck().all()),
    restart: async () => {
      await service.stop();
      service = await startService(ndjson, database, sizes);
    },
    stop: () => service.stop(),
  };
}
