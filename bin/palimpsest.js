#!/usr/bin/env node
// an older release cannot parse the program
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  process.stderr.write(`error: palimpsest needs Node.js 20.15 or newer, but this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // a CommonJS module starts faster than an ES module
  const { run } = require('../dist/bundle/cli.js');
  // if the process ends before the command, it failed
  process.exitCode = 1;
  run(process.argv, process).then((exitCode) => {
    process.exitCode = exitCode;
  });
}
