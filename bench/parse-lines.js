// Parses each line of a file as JSON and discards the result: the yardstick for `observe`. With a DATABASE, it also inserts each
// line into a new table with one text column, in one transaction: a yardstick for `import`.
//   node bench/parse-lines.js FILE [DATABASE]
import { createReadStream } from 'node:fs';

const [file, path] = process.argv.slice(2);
const database = path === undefined ? undefined : new (await import('better-sqlite3')).default(path);
database?.exec('CREATE TABLE record (json TEXT); BEGIN');
const insert = database?.prepare('INSERT INTO record (json) VALUES (?)');
const decoder = new TextDecoder();
let rest = '';
for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
  const text = rest + decoder.decode(chunk, { stream: true });
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    const line = text.slice(start, end);
    JSON.parse(line);
    insert?.run(line);
    start = end + 1;
  }
  rest = text.slice(start);
}
database?.exec('COMMIT');
