// Runs an edge function on Deno, and a static origin for the rest: netlify.mjs FUNCTION ORIGIN PORT
const [file, origin, port] = Deno.args;
const { default: handler, config } = await import(`file://${file}`);

// fetch would unpack what is compressed, and leave the header that says it is
const PLAIN = { 'Accept-Encoding': 'identity' };

Deno.serve({ port: Number(port), hostname: '127.0.0.1' }, (request) => {
  const { pathname, search } = new URL(request.url);
  return config.path.includes(pathname) ? handler(request) : fetch(origin + pathname + search, { method: request.method, headers: PLAIN });
});
