import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import { type Host, OPEN_ADDRESS } from './host.ts';

const BROWSER = {
  'exact-path': 'the browser removes dot segments before it sends a request',
  'rare-methods': 'a browser sends no TRACE',
};
const NEGOTIATION = 'a worker cannot choose an encoding: the browser and the static host negotiate it';
const UNPACKED = 'the worker decompresses each file: a browser does not do it for the response of a worker';

export const host: Host = {
  name: 'service-worker',
  title: 'Service worker',
  testedOn: 'Chromium, in front of a static origin; it answers only requests of pages in that browser',
  cannot: {
    'unknown-path': 'a path outside the collections is answered from the network',
    'content-etag': 'the browser revalidates with the ETag of the static host',
    gzip: NEGOTIATION,
    brotli: NEGOTIATION,
    ...BROWSER,
  },
  untested: {
    browse: 'the static host answers these requests: the worker answers only those of the collections',
    'single-headers': 'a browser does not show which headers were sent twice',
  },
  withVersions: {
    testedOn: 'Chromium, in front of a static origin that answers ranges; it answers only requests of pages in that browser',
    cannot: { 'unknown-path': 'a path outside the site is answered from the network', gzip: UNPACKED, brotli: UNPACKED, ...BROWSER },
    untested: { 'single-headers': 'a browser does not show which headers were sent twice' },
  },
  render: (site) => [
    {
      path: 'palimpsest-worker.js',
      where: 'the root of the site, on the same origin as the tree',
      text: `// Answers from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'} in the browser, if the host of the site serves only files. A page of the site
// registers it: navigator.serviceWorker.register('/palimpsest-worker.js')

// Check these lines: the path of the base URL, and the location of ${site.hasVersions ? 'head.json' : 'the files of the tree'}.
const BASE = '${site.base}';
const TREE = BASE;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === self.location.origin && isOurs(pathname)) {
    event.respondWith(respond(${site.hasVersions ? 'asIdentity(event.request)' : 'event.request'}, BASE, ${sourceOf(site, 'open', '[]')}, console.error));
  }
});

${site.hasVersions ? OPEN_RANGE : OPEN_FILE}
${inlinedFetchHandler(site)}`,
    },
  ],
  steps: [],
};

const OPEN_FILE = `function isOurs(path) {
  return resolve('GET', path, '', BASE).status !== 404;
}

async function open(path) {
  return bytesOf(await fetch(\`\${TREE}/\${path}\`, { cache: 'no-cache' }));
}
`;

const OPEN_RANGE = `function isOurs(path) {
  return path.startsWith(\`\${BASE}/as_of/\`) || resolve('GET', path, '', BASE, true).status !== 404;
}

${OPEN_ADDRESS}`;
