import type { HostFile } from './host.ts';

/** A server for Node.js that calls `handle` of handler.mjs. */
export const nodeServer: HostFile = {
  path: 'server.mjs',
  where: 'any folder on the machine with the tree',
  text: `// Serves a palimpsest tree: TREE=/path/to/out PORT=8080 node server.mjs
import { createServer } from 'node:http';
import { handle } from './handler.mjs';

const server = createServer(async (request, response) => {
  // This is not a real Request, which rejects methods that must be answered with 405.
  const headers = { get: (name) => request.headers[name.toLowerCase()] ?? null };
  try {
    const answer = await handle({ method: request.method, url: \`http://tree\${request.url}\`, headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    console.error(error);
    response.destroy();
  }
});

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '127.0.0.1');
`,
};
