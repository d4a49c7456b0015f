// Runs a middleware on Vercel's edge-runtime, and a static origin for the rest: vercel.mjs MODULES FILES ORIGIN PORT
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, files, origin, port] = process.argv.slice(2);
const from = createRequire(join(modules, 'package.json'));
const { EdgeRuntime } = from('edge-runtime');
const { getTransformedRoutes } = from('@vercel/routing-utils');

const config = JSON.parse(readFileSync(join(files, 'vercel.json'), 'utf8'));
const { error } = getTransformedRoutes(config);
if (error) throw new Error(JSON.stringify(error));

// as Vercel's builder does: a script instead of a module, and its handler called for each request
const script = readFileSync(join(files, 'middleware.js'), 'utf8')
  .replace(/^export default /m, '')
  .replace(/^export /m, '');
const runtime = new EdgeRuntime({
  initialCode: `${script}\naddEventListener('fetch', (event) => event.respondWith(middleware(event.request)));`,
});
const matcher = runtime.evaluate('config.matcher');

// fetch would unpack what is compressed, and leave the header that says it is
const PLAIN = { 'Accept-Encoding': 'identity' };

createServer(async (incoming, outgoing) => {
  try {
    const [pathname] = incoming.url.split('?');
    const isMatched = matcher.some((path) => (path.endsWith(':path*') ? pathname.startsWith(path.slice(0, -6)) : pathname === path));
    const init = { method: incoming.method, headers: isMatched ? new Headers(incoming.headers) : PLAIN };
    const response = isMatched
      ? await runtime.dispatchFetch(`http://127.0.0.1:${port}${incoming.url}`, init)
      : await fetch(`${origin}${incoming.url}`, init);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    outgoing.writeHead(500).end(String(error));
  }
}).listen(Number(port), '127.0.0.1');
