import type { Encoding } from '../files.ts';
import type { Program } from '../program.ts';
import type { Capability } from './capability.ts';

/** A web server, CDN or platform that answers requests from a tree with the files that `render` returns. */
export interface Host {
  /** The name on the command line. */
  readonly name: string;
  /** The official name. */
  readonly title: string;
  /** The software on which test/conformance tests the files. */
  readonly testedOn: string;
  /** The capabilities that the host lacks, each with the reason. */
  readonly cannot: { readonly [C in Capability]?: string };
  /** The capabilities that the host should have according to its documentation, but that no test covers, each with the reason. */
  readonly untested?: { readonly [C in Capability]?: string };
  readonly limits: Limits;
  readonly render: (site: PublishedSite) => readonly HostFile[];
  /**
   * The shell commands that install the files, run in the folder that `--host-files` names. For a server they run as root on Debian.
   * test/conformance runs them. Empty if a service is set up by hand, as the `where` of each file describes.
   */
  readonly steps: readonly string[];
  /** The variant of the host that fetches pages from an origin. A host without it needs the tree on its own machine. */
  readonly atOrigin?: HostAtOrigin;
  /** The variant of the host for a site with versions, or why it has none. A host without both runs no program that reads files. */
  readonly versions?: HostWithVersions | string;
}

/** A host that reads files from the versions of a site. What it omits is as in pages as files; limits of files do not apply. */
export type HostWithVersions = Pick<Host, 'cannot' | 'untested'> & Partial<Pick<Host, 'testedOn' | 'steps'>>;

/** A host in front of the object store to which a tree was published. */
export interface HostAtOrigin {
  readonly testedOn: string;
  readonly cannot: Host['cannot'];
  readonly render: (site: PublishedSite, origin: Origin) => readonly HostFile[];
  readonly steps: readonly string[];
}

/** A server that serves the files of the tree under their paths. */
export interface Origin {
  readonly isSecure: boolean;
  /** The host name or IP address, with the port if it is not the default of the scheme: the value of the Host header. */
  readonly authority: string;
  /** The same without the port. */
  readonly name: string;
  /** Whether `name` is an IP address, which needs no DNS lookup. */
  readonly isAddress: boolean;
  /** The path of the tree at the origin, without a final slash, such as `/bucket/prefix`; '' at the root. */
  readonly path: string;
  /** The encodings in which the tree also has each page, in order of preference. */
  readonly encodings: readonly Encoding[];
}

/** The limits of a host; a missing field means no limit. */
export interface Limits {
  /** The maximum number of files in a tree. */
  readonly files?: number;
  /** The maximum size of one file, in bytes. */
  readonly fileBytes?: number;
  /** The source of these limits, or the plan to which they apply. */
  readonly source?: string;
}

/** The address at which a tree is published, and the program for its host. */
export interface PublishedSite {
  /** Scheme, name and port of the base URL, such as `https://example.org`; without the default port of the scheme. */
  readonly origin: string;
  /** The host name in the base URL, such as `example.org`. */
  readonly domain: string;
  /** The path of the base URL without a final slash, such as `/api`; '' at the root of the host. */
  readonly base: string;
  /** Whether the tree has browse files. */
  readonly browse: boolean;
  /** Whether the host reads files from versions, and not pages as files. */
  readonly hasVersions: boolean;
  readonly program: Program;
}

/** A generated file for a host. */
export interface HostFile {
  /** The relative path, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The place to put the file: a folder, or a short description. */
  readonly where: string;
}

/** A host that ignores the query, and so would answer every request with page 1. */
export interface RefusedHost {
  readonly name: string;
  readonly title: string;
  readonly reason: string;
  /** An alternative, as an imperative. */
  readonly instead: string;
}
