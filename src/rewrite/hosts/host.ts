import type { Program } from '../program.ts';
import type { Capability } from './capability.ts';

/** Something that answers requests from a tree, given the right files. */
export interface Host {
  /** As on the command line. */
  readonly name: string;
  /** As its makers write it. */
  readonly title: string;
  /** What its files were tried on by test/conformance. */
  readonly proof: string;
  /** Of the capabilities those that it lacks, each with the reason. */
  readonly cannot: { readonly [C in Capability]?: string };
  /** Those that it has by its makers' word, and that nothing here could be tried on, each with what it rests on. */
  readonly untried?: { readonly [C in Capability]?: string };
  readonly limits: Limits;
  readonly render: (site: PublishedSite) => readonly HostFile[];
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
  /** Where it goes, in words. */
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
