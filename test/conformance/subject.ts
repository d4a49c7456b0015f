import type { Host } from '../../src/rewrite/hosts/host.ts';
import type { Exchange } from '../serve/exchange.ts';
import type { Requirement } from '../support/requirement.ts';

/** The folders and the site with which a subject is started. */
export interface Trial {
  /** The folder with the files that `palimpsest rewrite` wrote. */
  readonly files: string;
  /** The folder of the tree. */
  readonly tree: string;
  /** A folder to which the server may write. */
  readonly work: string;
  /** The path of the base URL. */
  readonly base: string;
}

/** Copies a tree to the place from which a host reads it. Does nothing if the host reads the folder itself. */
export interface Delivery {
  /** Copies the tree again after a change. */
  readonly deploy?: () => Promise<void>;
  /** Removes a file that was removed from the tree. */
  readonly withdraw?: (path: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A running host. */
export interface Running extends Delivery {
  /** Sends a request with this target (path and query), unchanged. */
  readonly ask: (target: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<Exchange>;
}

/** An origin with a copy of the tree, for a host in front of it. */
export interface Published extends Delivery {
  /** The address of the tree. */
  readonly url: string;
}

/** A host with the software on which its files are tested. */
export interface Subject {
  readonly host: Host;
  readonly needs: Requirement;
  /** The release of that software. */
  readonly release: () => string;
  /** Copies the tree to the origin that the host's files name. */
  readonly publish?: (site: Pick<Trial, 'tree' | 'base'>) => Promise<Published>;
  readonly start: (trial: Trial) => Promise<Running>;
  /** Starts the host with files for a site with versions; omitted if this is the same. The folder of the tree is that of the versions. */
  readonly startWithVersions?: (trial: Trial) => Promise<Running>;
}

/** Returns the name of a subject. A host with an origin has a different name than the same host with its own tree. */
export function nameOf({ host, publish }: Pick<Subject, 'host' | 'publish'>): string {
  return publish === undefined ? host.name : `${host.name} --origin`;
}

/** A host that the tests cannot run, with the vendor's tool that checks its files. */
export interface Linted {
  readonly host: Host;
  readonly needs: Requirement;
  readonly release: () => string;
  /** Returns the errors in the files of a folder; empty if there are no errors. */
  readonly complaints: (files: string) => readonly string[];
}
