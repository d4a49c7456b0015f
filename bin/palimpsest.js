#!/usr/bin/env node
// an older release cannot parse the program
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  process.stderr.write(`error: palimpsest needs Node.js 20.15 or newer, but this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  const { run } = await import('../dist/cli.js');
  process.exitCode = await run(process.argv, process);
}
