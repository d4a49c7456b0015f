// Checks out another revision of this project and compiles it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr + stdout}`);
  return stdout.trim();
}

/**
 * Creates a git worktree of a revision, and compiles it. Uses the installed packages of this checkout if package-lock.json is the
 * same, and installs them otherwise. The worktree is removed when this process exits.
 * @param folder a folder that does not exist
 * @returns the short name of the commit and the path of its program
 */
export function checkOut(reference, folder) {
  const commit = commitOf(reference);
  mkdirSync(dirname(folder), { recursive: true });
  process.on('exit', () => {
    rmSync(folder, { recursive: true, force: true });
    run('git', ['worktree', 'prune'], ROOT);
  });
  run('git', ['worktree', 'add', '--detach', folder, commit], ROOT);
  const lock = 'package-lock.json';
  if (readFileSync(join(folder, lock), 'utf8') === readFileSync(join(ROOT, lock), 'utf8')) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    run('npm', ['run', 'compile'], folder);
  } else {
    // this also compiles
    run('npm', ['ci', '--no-fund', '--no-audit'], folder);
  }
  return { name: run('git', ['rev-parse', '--short', commit], ROOT), program: join(folder, 'bin', 'palimpsest.js') };
}

/** Ends the process with a message if git does not have the revision. */
function commitOf(reference) {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${reference}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim();
  console.error(`git has no revision ${reference} here. A shallow clone has only its newest revisions: run git fetch --unshallow`);
  process.exit(1);
}
