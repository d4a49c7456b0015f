import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';

/** A service worker beside the files of a tree with the composed layout. */
export const serviceWorkerComposed: ComposedHost = {
  testedOn: 'Chromium, in front of a static origin; it answers only requests of pages in that browser',
  cannot: {
    'unknown-path': 'a path outside the collections is answered from the network',
    gzip: 'the page is composed in the browser, and nothing is sent',
    brotli: 'the page is composed in the browser, and nothing is sent',
    'exact-path': 'the browser removes dot segments before it sends a request',
    'rare-methods': 'a browser sends no TRACE',
  },
  untested: {
    'single-headers': 'a browser does not show which headers were sent twice',
  },
  render: ({ base, program }) => [
    {
      path: 'palimpsest-worker.js',
      where: 'the root of the site, on the same origin as the tree',
      text: `// Composes pages from a palimpsest tree in the browser, if the host of the site serves only files. A page of the site
// registers it: navigator.serviceWorker.register('/palimpsest-worker.js')

// Check these lines: the path of the base URL, and the location of the files of the tree.
const BASE = '${base}';
const TREE = BASE;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const isOurs = origin === self.location.origin && resolve('GET', pathname, '', BASE) !== NOT_FOUND;
  if (isOurs) event.respondWith(respondComposed(event.request, BASE, readHead, readChunk));
});

const readHead = headReader(async (path) => bytesOf(await fetch(\`\${TREE}/\${path}\`, { cache: 'no-cache' })));
const readChunk = chunkReader(async (path) => {
  // chunks never change: the browser keeps the newest ones
  const cache = await caches.open('palimpsest-chunks');
  const url = \`\${TREE}/\${path}\`;
  const kept = await cache.match(url);
  if (kept) return bytesOf(kept);
  const file = await fetch(url);
  if (file.ok) {
    const [oldest, ...others] = await cache.keys();
    if (others.length >= 300) await cache.delete(oldest);
    await cache.put(url, file.clone());
  }
  return bytesOf(file);
});

async function bytesOf(file) {
  if (!file.ok && file.status !== 404) throw new Error(\`\${file.url}: status \${file.status}\`);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

${inlinedComposed(program)}`,
    },
  ],
  steps: [],
};
