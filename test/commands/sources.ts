import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a folder with three sources. Returns its path. */
export function sources(folder: string, snapshots = 30): string {
  for (let file = 0; file < 3; file += 1) {
    const lines = Array.from({ length: snapshots }, (_, index) => {
      const observed_at = new Date(Date.UTC(2022, 0, 1, index, file)).toISOString();
      return JSON.stringify({ observed_at, screen_name: `user_${index % 7}`, bio: `bio ${Math.floor(index / 9)} of ${file}` });
    });
    writeFileSync(join(folder, `source-${file}.ndjson`), lines.join('\n'));
  }
  return folder;
}
