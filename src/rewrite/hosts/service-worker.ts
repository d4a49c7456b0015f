import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const serviceWorker: Host = {
  name: 'service-worker',
  title: 'a service worker',
  testedOn: "Chromium, before a static origin; it answers that browser's own pages only",
  cannot: {
    'unknown-path': 'what is no collection goes on to the network',
    'content-etag': 'the browser asks the network with the ETag of the static host behind it',
    gzip: 'a page cannot choose an encoding: the browser and the static host agree on one beneath the worker',
    brotli: 'a page cannot choose an encoding: the browser and the static host agree on one beneath the worker',
    'exact-path': 'the browser takes dot segments away before it asks',
    'rare-methods': 'a browser sends no TRACE',
  },
  untested: {
    'single-headers': 'a browser does not tell which headers came twice',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'palimpsest-worker.js',
      where: 'to the root of the site, on the same origin as the tree',
      text: `// Answers from a tree of palimpsest in the browser, where the host of the site knows files only. A page of the
// site turns it on: navigator.serviceWorker.register('/palimpsest-worker.js')

// The lines that matter: the path of the base URL, and where the tree's files are.
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
