import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { portOf } from '../publish/stores.ts';
import { palimpsestHere, READ_LATE } from '../support/palimpsest.ts';

/** Runs palimpsest for shells: a process for each of their commands would take most of the time of these tests. */
const runner = createServer(async (socket) => {
  const request = String((await once(socket, 'data'))[0]).trim();
  const read = (name: string) => readFileSync(`${request}.${name}`);
  const entries = (name: string) => read(name).toString().split('\0').slice(0, -1);
  const [cwd = '', ...args] = entries('arguments');
  const variables = entries('environment').map((entry): [string, string] => [entry.replace(/=.*/s, ''), entry.replace(/.*?=/s, '')]);
  try {
    const env = Object.fromEntries(variables.filter(([name]) => READ_LATE.test(name)));
    const { code, stdout, stderr } = await palimpsestHere(args, { cwd, env, input: read('input') });
    writeFileSync(`${request}.stdout`, stdout);
    writeFileSync(`${request}.stderr`, stderr);
    socket.write(`${code}\n`);
  } finally {
    socket.end();
  }
});
await once(runner.listen(0, '127.0.0.1'), 'listening');
runner.unref();

/**
 * A program that has this process run palimpsest in the folder of its caller, with the same environment, input and output. It starts
 * as few processes as it can.
 */
const PALIMPSEST = `#!/bin/bash
request="\${0%/*}/request-$$"
printf '%s\\0' "$PWD" "$@" > "$request.arguments"
env -0 > "$request.environment"
: > "$request.input"
[ /dev/stdin -ef /dev/null ] || cat > "$request.input"
exec 3<> "/dev/tcp/127.0.0.1/${portOf(runner)}"
echo "$request" >&3
read -r code <&3
[ ! -s "$request.stdout" ] || cat "$request.stdout"
[ ! -s "$request.stderr" ] || cat "$request.stderr" >&2
exit "$code"
`;

/** Writes programs that stand for those of the machine on which a script runs. Returns its PATH. */
export function machine(folder: string, programs: Readonly<Record<string, string>> = {}): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const gh = `echo "$@" >> "${join(folder, 'issues.txt')}"`;
  const all = { palimpsest: PALIMPSEST, npx: 'exec "$@"', gh, sleep: 'exit 0', ...programs };
  for (const [name, text] of Object.entries(all)) {
    writeFileSync(join(bin, name), text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return `${bin}:${process.env['PATH']}`;
}
