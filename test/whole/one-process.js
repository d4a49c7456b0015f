// Runs command lines one after the other in this process: node one-process.js PROGRAM, with a JSON array of them on standard input.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';

const [program] = process.argv.slice(2);
const { run } = await import(`${program}/dist/cli.js`);
const results = [];
for (const args of JSON.parse(readFileSync(0, 'utf8'))) {
  const written = { stdout: '', stderr: '' };
  const output = (name) => ({
    write: (text, done) => {
      written[name] += text;
      done?.();
    },
  });
  const io = { stdin: Readable.from([]), stdout: output('stdout'), stderr: output('stderr'), env: { ...process.env }, once: () => {} };
  results.push({ code: await run([process.execPath, 'palimpsest', ...args], io), ...written });
}
process.stdout.write(JSON.stringify(results));
