import type { Program } from '../program.ts';
import type { Encoding } from '../respond.ts';
import type { Capability } from './capability.ts';

/** Something that answers requests from a tree, given the right files. */
export interface Host {
  /** As on the command line. */
  readonly name: string;
  /** As its makers write it. */
  readonly title: string;
  /** What its files were tried on by test/conformance. */
  readonly testedOn: string;
  /** Of the capabilities those that it lacks, each with the reason. */
  readonly cannot: { readonly [C in Capability]?: string };
  /** Those that it has by its makers' word, and that nothing here could be tried on, each with what it rests on. */
  readonly untested?: { readonly [C in Capability]?: string };
  readonly limits: Limits;
  readonly render: (site: PublishedSite) => readonly HostFile[];
  /**
   * The commands that install its files: for a shell, as root on Debian where it is a server, in the folder that `--out`
   * names. They are what test/conformance runs. None where a service is set up by hand, as each file's `where` says.
   */
  readonly steps: readonly string[];
  /** The same where it fetches pages from an origin; a host without it has to have the tree itself. */
  readonly atOrigin?: HostAtOrigin;
}

/** A host that stands before the store that a tree was published to. */
export interface HostAtOrigin {
  readonly proof: string;
  readonly cannot: Host['cannot'];
  readonly render: (site: PublishedSite, origin: Origin) => readonly HostFile[];
  readonly steps: readonly string[];
}

/** A server that has the tree, and answers for its files under their paths. */
export interface Origin {
  readonly isSecure: boolean;
  /** A name or an address, with the port where it is not the scheme's own: what the Host header says. */
  readonly authority: string;
  /** The same without the port. */
  readonly name: string;
  /** Whether that is an address, for which no DNS server need be asked. */
  readonly isAddress: boolean;
  /** Where the tree is there, without a slash at the end, such as `/bucket/prefix`; '' at the root. */
  readonly path: string;
  /** Those in which the tree has each page once more, the best first. */
  readonly encodings: readonly Encoding[];
}

/** What a host takes; what is not there has no limit. */
export interface Limits {
  /** The files of a tree. */
  readonly files?: number;
  /** The bytes of one file. */
  readonly fileBytes?: number;
  /** Where this is said, or which plan it is. */
  readonly source?: string;
}

/** What is published where. */
export interface PublishedSite {
  /** Scheme, name and port of the base URL, such as `https://example.org`; a scheme's own port is left out. */
  readonly origin: string;
  /** The host's name in the base URL, such as `example.org`. */
  readonly domain: string;
  /** The path of the base URL without a slash at the end, such as `/api`; '' at the root of the host. */
  readonly base: string;
  readonly program: Program;
}

/** A file for a host. */
export interface HostFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Where it goes: a folder, or a few words. */
  readonly where: string;
}

/** A host that can not tell `?page=2` from `?page=3`, and so would answer every page with the first. */
export interface RefusedHost {
  readonly name: string;
  readonly title: string;
  readonly reason: string;
  /** What to do instead. */
  readonly instead: string;
}
