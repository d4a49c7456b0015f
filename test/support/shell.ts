import { spawn } from 'node:child_process';

/**
 * Runs commands in a shell that ends at the first failure, as a step of a CI job does. A test must not use spawnSync for commands
 * that run palimpsest: if one of them never ended, no time limit could end the test.
 */
export function shell(
  commands: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-e', '-c', commands], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}
