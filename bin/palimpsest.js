#!/usr/bin/env node
import { run } from '../dist/cli.js';

// whoever reads may stop reading
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await run(process.argv, process);
