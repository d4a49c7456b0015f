import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Trial } from './subject.ts';

/** Folders in the host's files and in Debian's configurations that each test replaces by its own. */
const TREES = ['/var/www/palimpsest/out', '/var/www/palimpsest/site'];
const OWN = ['/var/run', '/var/log', '/var/lock', '/var/cache', '/run'];

/**
 * A server as Debian installs it: a copy of its folder in /etc. Only paths, ports and the changes of a subject differ from
 * the package. The documented steps run on this copy, with the same changes.
 */
export class StockMachine {
  /** The folder that replaces /. */
  readonly root: string;
  readonly #name: string;
  readonly #changes: ReadonlyMap<string, string>;
  readonly #tree: string;

  /**
   * @param name the name of the server's folder in /etc
   * @param packages the packages whose configuration files must be unmodified
   * @param changes replacements for texts of the configuration and of the host's files, such as ports
   */
  constructor(
    name: string,
    packages: readonly string[],
    { tree, work }: Pick<Trial, 'tree' | 'work'>,
    changes: Readonly<Record<string, string>>,
  ) {
    for (const one of packages) mustBeAsShipped(one);
    this.#name = name;
    this.root = join(work, name);
    this.#tree = tree;
    this.#changes = new Map(Object.entries(changes));
    for (const folder of OWN) {
      mkdirSync(join(this.root, folder, name), { recursive: true });
      // writable, as for the user of the server
      chmodSync(join(this.root, folder, name), 0o777);
    }
    cpSync(`/etc/${name}`, join(this.root, 'etc', name), { recursive: true, verbatimSymlinks: true });
    for (const path of readdirSync(join(this.root, 'etc', name), { recursive: true, encoding: 'utf8' }))
      this.#adaptFile(join(this.root, 'etc', name, path));
    // servers drop their privileges, and read the tree and their configuration as another user
    for (let folder = work; folder.startsWith(join(tmpdir(), '/')); folder = dirname(folder)) chmodSync(folder, 0o755);
  }

  /** Replaces paths and ports in a text by those of this copy. */
  here(text: string): string {
    const paths = [`/etc/${this.#name}`, ...TREES, ...OWN].map((path) => `(?<![\\w.])${escaped(path)}(?![\\w-])`);
    const pattern = new RegExp([...[...this.#changes.keys()].map(escaped), ...paths].join('|'), 'g');
    return text.replace(pattern, (found) => this.#changes.get(found) ?? (TREES.includes(found) ? this.#tree : this.root + found));
  }

  /**
   * Runs the installation steps of a host in the folder of its files. The files are edited first, as by a user.
   * @returns the calls of systemctl, such as `reload nginx`
   */
  install(files: string, steps: readonly string[], env: Readonly<Record<string, string>> = {}): string[] {
    for (const path of readdirSync(files, { recursive: true, encoding: 'utf8' })) this.#adaptFile(join(files, path));
    const bin = join(this.root, 'bin');
    const asked = join(this.root, 'systemctl.log');
    mkdirSync(bin, { recursive: true });
    writeFileSync(asked, '');
    // the packages are installed, because a subject needs them, and the test itself starts services
    script(join(bin, 'apt-get'), 'shift; exec dpkg --status "$@" > /dev/null');
    script(join(bin, 'systemctl'), `echo "$@" >> ${asked}`);
    const path = `${bin}:${process.env['PATH'] ?? ''}:/usr/sbin`;
    for (const step of steps) {
      const { status, stdout, stderr } = spawnSync('sh', ['-ec', this.here(step)], {
        cwd: files,
        env: { ...process.env, ...env, PATH: path },
        encoding: 'utf8',
        timeout: 60_000,
      });
      if (status !== 0) throw new Error(`"${step}" exits with ${status}: ${stdout}${stderr}`);
    }
    return readFileSync(asked, 'utf8').split('\n').filter(Boolean);
  }

  /** Replaces a command on the path of the steps. */
  command(name: string, text: string): void {
    mkdirSync(join(this.root, 'bin'), { recursive: true });
    script(join(this.root, 'bin', name), text);
  }

  #adaptFile(path: string): void {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(path);
      if (target === this.here(target)) return;
      rmSync(path);
      symlinkSync(this.here(target), path);
    } else if (stat.isFile()) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, this.here(text));
    }
  }
}

/** Fails if the server's configuration on this machine was changed, because the tests must use Debian's. */
function mustBeAsShipped(name: string): void {
  const shipped = execFileSync('dpkg-query', ['--show', '--showformat', '$'.concat('{Conffiles}'), name], { encoding: 'utf8' });
  for (const [, path = '', sum] of shipped.matchAll(/^ (\/\S+) ([0-9a-f]{32})/gm)) {
    const found = existsSync(path) ? createHash('md5').update(readFileSync(path)).digest('hex') : 'no file';
    if (found !== sum) throw new Error(`${path} is not as Debian's ${name} has it`);
  }
}

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

function escaped(text: string): string {
  return text.replace(/[.\\+*?()[\]{}|^$]/g, '\\$&');
}
