// Parses each line of a file as JSON and discards the result: the yardstick for `observe`.
//   node bench/parse-lines.js FILE
import { createReadStream } from 'node:fs';

const decoder = new TextDecoder();
let rest = '';
for await (const chunk of createReadStream(process.argv[2], { highWaterMark: 1 << 20 })) {
  const text = rest + decoder.decode(chunk, { stream: true });
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    JSON.parse(text.slice(start, end));
    start = end + 1;
  }
  rest = text.slice(start);
}
