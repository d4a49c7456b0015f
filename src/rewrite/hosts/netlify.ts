import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import { BROWSE_TYPES, NOT_FOUND_PAGE } from '../resolve.ts';
import { ADDRESS_LINES, type Host, OPEN_ADDRESS, PAGE_HEADERS, type PublishedSite } from './host.ts';

const COMPRESSION = 'Netlify compresses responses itself';
const PATHS = 'Netlify decides which paths reach the function';

export const host: Host = {
  name: 'netlify',
  title: 'Netlify',
  testedOn: 'Deno, the runtime of its edge functions, in front of a static origin; the tests simulate the routing of Netlify',
  cannot: {
    'unknown-path': 'a path outside the collections does not reach the function: Netlify answers it from its static files',
    gzip: COMPRESSION,
    brotli: COMPRESSION,
  },
  untested: {
    browse: 'at the root of the host, Netlify serves the files of browse/ itself',
    'content-etag': 'the ETag is a hash of the content, if Netlify gives the function the current file',
    'encoded-path': PATHS,
    'exact-path': PATHS,
  },
  withVersions: {
    testedOn: 'Deno, the runtime of its edge functions, in front of a static origin that answers ranges',
    cannot: {
      'unknown-path': 'a path outside the site does not reach the function: Netlify answers it from its static files',
      gzip: COMPRESSION,
      brotli: COMPRESSION,
    },
    untested: { 'encoded-path': PATHS, 'exact-path': PATHS },
  },
  render: (site) => [
    {
      path: 'netlify.toml',
      where: site.hasVersions ? 'the root of the deployment' : 'the root of the deployment, beside the folder of the tree',
      text: `# Deploys a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'} on Netlify. netlify/edge-functions/palimpsest.js answers the requests.

[build]
  publish = ${site.hasVersions ? '"public"   # <-- a folder for other files; it may be empty' : '"out"   # <-- the folder that palimpsest build writes'}
${site.browse && site.base === '' && !site.hasVersions ? BROWSE_HEADERS : ''}`,
    },
    {
      path: 'netlify/edge-functions/palimpsest.js',
      where: 'this path, in the folder of netlify.toml',
      text: `// Answers from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'} on Netlify. A redirect with query = { page = ":n" } is not enough: it does not
// match ?page=2&, which would silently return page 1.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${site.base}';

export const config = {
  path: [${site.hasVersions ? `'${site.base}', '${site.base}/*'` : pathsOf(site)}],
};
${site.hasVersions ? `\n${ADDRESS_LINES}` : ''}
export default function palimpsest(request) {
  return respond(${site.hasVersions ? 'asIdentity(request)' : 'request'}, BASE, ${sourceOf(site, site.hasVersions ? 'open' : "(path) => read(new URL('/' + path, request.url))", '[]')}, console.error);
}

${site.hasVersions ? OPEN_ADDRESS : READ}
${inlinedFetchHandler(site)}`,
    },
  ],
  steps: ['npx netlify-cli deploy --prod'],
};

/** Returns the paths that reach the function. At the root of a host, Netlify itself serves browse files. */
function pathsOf({ base, browse }: PublishedSite): string {
  const pages = `'${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'`;
  return pages + (browse && base !== '' ? `, '${base}', '${base}/', '${base}/index.html', '${base}/browse/*'` : '');
}

const READ = `async function read(url) {
  return bytesOf(await fetch(url));
}
`;

const BROWSE_HEADERS = `
# Netlify serves the files that people read.
[[redirects]]
  from = "/*"
  to = "/${NOT_FOUND_PAGE.file}"
  status = 404
${Object.entries(BROWSE_TYPES)
  .map(
    ([suffix, type]) => `[[headers]]
  for = "/browse/*.${suffix}"
  values = { Content-Type = "${type}", Cache-Control = "${PAGE_HEADERS['Cache-Control']}" }
`,
  )
  .join('')}`;
