// Runs an edge function on Deno, and a static origin for the rest: netlify.mjs FUNCTION ORIGIN PORT
const [file, origin, port] = Deno.args;
const { default: handler, config } = await import(`file://${file}`);

// fetch would unpack what is compressed, and leave the header that says it is
const PLAIN = { 'Accept-Encoding': 'identity' };

Deno.serve({ port: Number(port), hostname: '127.0.0.1' }, async (request) => {
  const { pathname, search } = new URL(request.url);
  const isMatched = config.path.some((path) => (path.endsWith('*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path));
  if (isMatched) return handler(request);
  const file = await fetch(origin + pathname + search, { method: request.method, headers: PLAIN });
  const headers = new Headers(file.headers);
  // of the connection to the origin, which is another
  headers.delete('connection');
  return new Response(file.body, { status: file.status, headers });
});
