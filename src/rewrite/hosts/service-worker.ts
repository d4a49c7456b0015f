import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const serviceWorker: Host = {
  name: 'service-worker',
  title: 'Service worker',
  testedOn: 'Chromium, in front of a static origin; it answers only requests of pages in that browser',
  cannot: {
    'unknown-path': 'a path outside the collections is answered from the network',
    'content-etag': 'the browser revalidates with the ETag of the static host',
    gzip: 'a worker cannot choose an encoding: the browser and the static host negotiate it',
    brotli: 'a worker cannot choose an encoding: the browser and the static host negotiate it',
    'exact-path': 'the browser removes dot segments before it sends a request',
    'rare-methods': 'a browser sends no TRACE',
  },
  untested: {
    browse: 'the static host answers these requests: the worker answers only those of the collections',
    'single-headers': 'a browser does not show which headers were sent twice',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'palimpsest-worker.js',
      where: 'the root of the site, on the same origin as the tree',
      text: `// Answers from a palimpsest tree in the browser, if the host of the site serves only files. A page of the site
// registers it: navigator.serviceWorker.register('/palimpsest-worker.js')

// Check these lines: the path of the base URL, and the location of the files of the tree.
const BASE = '${base}';
const TREE = BASE;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const isOurs = origin === self.location.origin && resolve('GET', pathname, '', BASE) !== NOT_FOUND;
  if (isOurs) event.respondWith(respond(event.request, BASE, read, []));
});

async function read(path) {
  const file = await fetch(\`\${TREE}/\${path}\`, { cache: 'no-cache' });
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: [],
};
