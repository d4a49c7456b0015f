import type { Host } from '../../src/rewrite/hosts/host.ts';
import type { Exchange } from '../serve/exchange.ts';
import type { Requirement } from '../support/requirement.ts';

/** What a subject is to serve. */
export interface Trial {
  /** The folder with the files that `palimpsest rewrite` wrote. */
  readonly files: string;
  /** The folder of the tree. */
  readonly tree: string;
  /** A folder that the server may write into. */
  readonly work: string;
  /** The path of the base URL. */
  readonly base: string;
}

/** What brings a tree to where a host finds it; where it reads the folder itself there is nothing to do. */
export interface Delivery {
  /** Brings the tree, which has changed. */
  readonly deploy?: () => Promise<void>;
  /** Takes a file away that is gone from the tree. */
  readonly withdraw?: (path: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A host that runs. */
export interface Running extends Delivery {
  /** The address at which a browser reaches it; none where nothing listens. */
  readonly url?: string;
  /** Sends a request target, path and query, as it stands. */
  readonly ask: (target: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<Exchange>;
}

/** A store that a tree was brought to, for a host to stand before. */
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
  /** Brings the tree to the origin that the host's files are to name. */
  readonly publish?: (site: Pick<Trial, 'tree' | 'base'>) => Promise<Published>;
  readonly start: (trial: Trial) => Promise<Running>;
}

/** What a subject is called: a host before an origin is another than the same that has the tree itself. */
export function nameOf({ host, publish }: Pick<Subject, 'host' | 'publish'>): string {
  return publish === undefined ? host.name : `${host.name} --origin`;
}

/** A host that nothing here runs, with the vendor's tool that its files are held to. */
export interface Linted {
  readonly host: Host;
  readonly needs: Requirement;
  readonly release: () => string;
  /** What is wrong with the files in a folder; nothing where all is right. */
  readonly complaints: (files: string) => readonly string[];
}
