import type { Encoding } from '../files.ts';
import type { Program } from '../inlined-modules.ts';
import { COLLECTION_HEADERS } from '../resolve.ts';

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
  /** Most hosts have none. */
  readonly limits?: Limits;
  readonly render: (site: PublishedSite) => readonly HostFile[];
  /**
   * The shell commands that install the files, run in the folder that `--to` names. For a server they run as root on Debian.
   * test/conformance runs them. Empty if a service is set up by hand, as the `where` of each file describes.
   */
  readonly steps: readonly string[];
  /** The variant of the host that fetches pages from an origin. A host without it needs the tree on its own machine. */
  readonly atOrigin?: HostAtOrigin;
  /** The variant of the host for a site with versions. */
  readonly withVersions?: HostWithVersions;
  /** Why there is no such variant, if not because the host runs no program that reads files. */
  readonly noVersions?: string;
}

/** A host that reads files from the versions of a site. What it omits is as in pages as files; limits of files do not apply. */
type HostWithVersions = Pick<Host, 'cannot' | 'untested'> & Partial<Pick<Host, 'testedOn' | 'steps'>>;

/** A host in front of the object store to which a tree was published. */
export interface HostAtOrigin extends Pick<Host, 'testedOn' | 'cannot' | 'untested' | 'steps'> {
  readonly render: (site: PublishedSite, origin: Origin) => readonly HostFile[];
}

/** A server that serves the files of the tree under their paths. */
export interface Origin {
  /** The address of the folder that contains `rest/`, by HTTP or HTTPS. */
  readonly url: URL;
  /** The encodings in which the tree also has each page, in order of preference. */
  readonly encodings: readonly Encoding[];
}

/** The limits of a host for pages as files; a missing field means no limit. */
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

/**
 * The capabilities of hosts beyond the core. test/conformance has a probe for each: the probe must succeed if a host has
 * the capability, and must fail if the host lacks it.
 */
export const CAPABILITIES = {
  'empty-value': '`?page=` and `?page` return page 1',
  'letter-case': '`?page=LAST` is an invalid page, and `?PAGE=2` is not a page parameter',
  'last-repeat': 'if `page` is repeated, the last value counts',
  integers: 'numbers are parsed as in Python: `02`, `+2`, `0_2`, and numbers with Unicode white space around them',
  'percent-decoding': '`p%61ge=%32` is `page=2`',
  'other-digits': 'Unicode digits other than 0 to 9 are accepted',
  'control-characters': '`%0A` and other control characters in a path or query are handled like any other character',
  'leading-zeros': 'a number may have thousands of leading zeros',
  'digit-limit': 'a number of more than 4,300 digits is an invalid page, as in Python',
  'encoded-path': '`/rest/d%61ta/` and `/rest/data%2F` are the same as `/rest/data/`',
  'exact-path': '`/rest//data/`, `/rest/./data/` and `/rest/x/../data/` return 404',
  head: 'HEAD returns the same as GET, without the body',
  headers: 'a page has the headers of the API',
  'error-headers': '404 and 405 responses have the headers of the API',
  'single-headers': 'no header is sent twice',
  'missing-page': 'a page that does not exist returns 404 with the body of DRF',
  'missing-tree': 'if the tree is not where the host looks for it, a page is answered with 5xx and a JSON body',
  'incomplete-tree': 'a page that the tree should have, but whose file is missing, is answered with 5xx and a JSON body',
  'unreadable-files':
    'a file that the host cannot read, for example without permission or a free file descriptor, is answered with 5xx and a JSON body',
  'unknown-path':
    'a path outside the collections returns 404: below `/rest/` with the body of DRF, elsewhere with this body or the HTML page',
  redirect: 'a path without the final slash is redirected with 301, and the query is kept',
  'redirect-encoding': 'the redirect does not decode the query: `%2F` does not become `/`',
  options: 'OPTIONS returns 200 with the headers of the API',
  'options-body': 'OPTIONS returns a description in JSON',
  methods: 'other methods return 405',
  'methods-body': 'a 405 response has the body of DRF, which names the method',
  'rare-methods': 'TRACE and PROPFIND return 405 with the same headers and body',
  'unknown-methods': 'a method that HTTP does not define returns 405',
  range: '`Range` is ignored: a page is always sent whole',
  revalidation:
    'GET and HEAD with the ETag of a page, weak or not, are answered with 304 if the page is unchanged, and with the page if it changed',
  'etag-list': '`If-None-Match` may be `*` or a list, also of weak ETags',
  'content-etag': 'the ETag depends on the content: it changes even if the size and the modification time of a file stay the same',
  gzip: 'sends the `.gz` file of a page to clients that accept gzip',
  brotli: 'sends the `.br` file of a page to clients that accept Brotli',
  'damaged-files': 'with versions: a file that does not match its CRC-32 is answered with 503, and never sent',
  browse: 'serves the files of `build --html`: the home page, and the files below `browse/` with their media types',
} as const;

export type Capability = keyof typeof CAPABILITIES;

/**
 * The headers of the collections on a host that sends compressed pages to clients that accept them: those of resolve.ts,
 * with `Accept-Encoding` in `Vary`.
 */
export const PAGE_HEADERS: { readonly [name: string]: string } = {
  ...COLLECTION_HEADERS,
  Vary: `${COLLECTION_HEADERS['Vary']}, Accept-Encoding`,
};

/** Returns a value in quotes, if it has characters with a meaning in configuration files. */
export function quoted(value: string): string {
  return /^[\w./-]+$/.test(value) ? value : `"${value}"`;
}

/**
 * Returns a line of configuration for each header of a page, joined by `separator`.
 * @param line returns the line of a header, or '' for none
 */
export function headerLines(separator: string, line: (name: string, value: string) => string): string {
  return Object.entries(PAGE_HEADERS)
    .map(([name, value]) => line(name, value))
    .filter((text) => text !== '')
    .join(separator);
}

/** The expression for the encodings of compressed pages, in order of preference, for hosts that read them. */
export const ENCODINGS = "[{ name: 'br', suffix: '.br' }, { name: 'gzip', suffix: '.gz' }]";

/** The capabilities that no host with rules has. */
export const NO_NUMBERS = {
  'other-digits': 'a rule cannot convert other Unicode digits: such a number is answered with 404',
  'digit-limit': 'a pattern cannot count digits: a number of more than 4,300 digits is answered with its page',
};

/** The capabilities that hosts with rules lack, except for one that decodes queries itself. */
export const ONLY_RULES = {
  'percent-decoding': 'a rule cannot decode percent-encoding: %32 is answered with 404',
  ...NO_NUMBERS,
  'incomplete-tree': 'a rule cannot count pages, so a missing page is answered with 404, like a page past the end',
};

/** The capability that static file servers lack. */
export const ETAG_OF_TIME = {
  'content-etag': 'the ETag is made from size and modification time; build therefore gives a changed file a new time',
};

/** The capabilities that CloudFront and the bucket behind it provide. */
export const BY_CLOUDFRONT = 'CloudFront and the bucket provide it, and the tests have neither';
export const UNTESTED_CLOUDFRONT = {
  head: BY_CLOUDFRONT,
  revalidation: BY_CLOUDFRONT,
  'content-etag': BY_CLOUDFRONT,
  'single-headers': 'CloudFront sends the headers that the function sets, and the function sets each name only once',
  range: BY_CLOUDFRONT,
  'etag-list': BY_CLOUDFRONT,
};

/** The capability that no host with versions has. */
export const NO_BROTLI = { brotli: 'the files in a version are deflated, which serves gzip' };

/** The lines of a script that name the address of a site with versions. */
export const ADDRESS_LINES = `const TREE = 'https://bucket.example.org/history'; // <-- the public address of the folder with head.json
`;

/** The functions of a script that reads the files at `TREE` with `fetch`, and that sends them unpacked. */
export const OPEN_ADDRESS = `async function open(path, range) {
  const headers = { 'Accept-Encoding': 'identity' };
  if (range) headers.Range = \`bytes=\${range.from}-\${range.from + range.length - 1}\`;
  const file = await fetch(\`\${TREE}/\${path}\`, { headers, cache: range ? 'default' : 'no-cache' });
  if (!file.ok) throw new Error(\`the server of the versions answers \${file.status}\`);
  // The whole file is as large as the site.
  if (range && file.status !== 206) throw new Error('the server of the versions does not support ranges');
  return new Uint8Array(await file.arrayBuffer());
}

// What is in front of this program compresses responses.
function asIdentity({ method, url, headers }) {
  return { method, url, headers: { get: (name) => (name === 'Accept-Encoding' ? null : headers.get(name)) } };
}
`;
