import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import { encodeJson } from '../contract/json.ts';
import type { Connection } from './database/connection.ts';

/** Returns the reports of the services that a store does not have completely, by their addresses. */
export function incompleteMirrors(database: Connection): readonly IncompleteMirror[] {
  const reports = database.values<string>('SELECT report FROM incomplete_mirror ORDER BY base_url');
  return reports.map((report): IncompleteMirror => JSON.parse(report));
}

/** Sets or deletes what a finished run of mirror found to be missing. If only `finished_at` or `request_count` differ, the old report stays, so that the tree does not change. */
export function setIncomplete(database: Connection, baseUrl: string, report: IncompleteMirror | undefined): void {
  if (report === undefined) {
    database.run('DELETE FROM incomplete_mirror WHERE base_url = ?', baseUrl);
    return;
  }
  const news = (json: string) => `json_remove(${json}, '$.finished_at', '$.request_count')`;
  database.run(
    `INSERT INTO incomplete_mirror (base_url, report) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET report = excluded.report WHERE ${news('report')} <> ${news('excluded.report')}`,
    baseUrl,
    encodeJson(report),
  );
}

/** Deletes the reports about a service, because an import has everything that the service has. */
export function deleteIncomplete(database: Connection, baseUrl: string): void {
  database.run("DELETE FROM incomplete_mirror WHERE report ->> 'base_url' = ?", baseUrl);
}

/** Adds the report of a source, unless the store was mirrored from that service itself. Of two, the newer one stays. */
export function addIncomplete(database: Connection, report: IncompleteMirror): void {
  database.run(
    `INSERT INTO incomplete_mirror (base_url, report) SELECT :base_url, :report WHERE NOT EXISTS (SELECT 1 FROM mirror WHERE base_url = :base_url)
      ON CONFLICT DO UPDATE SET report = excluded.report WHERE excluded.report ->> 'finished_at' > report ->> 'finished_at'`,
    { base_url: report.base_url, report: encodeJson(report) },
  );
}
