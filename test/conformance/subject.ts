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

/** A host that runs. */
export interface Running {
  /** Sends a request target, path and query, as it stands. */
  readonly ask: (target: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<Exchange>;
  /** Brings the tree, which has changed, to the host; where it reads the folder itself there is nothing to do. */
  readonly deploy?: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A host with the real thing that its files are tried on. */
export interface Subject {
  readonly host: Host;
  readonly needs: Requirement;
  /** The release of what it is tried on. */
  readonly release: () => string;
  readonly start: (trial: Trial) => Promise<Running>;
}

/** A host that nothing here runs, with the vendor's tool that its files are held to. */
export interface Linted {
  readonly host: Host;
  readonly needs: Requirement;
  readonly release: () => string;
  /** What is wrong with the files in a folder; nothing where all is right. */
  readonly complaints: (files: string) => readonly string[];
}
