import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import { ENCODINGS, type Host, NO_BROTLI } from './host.ts';

export const host: Host = {
  name: 'deno',
  title: 'Deno, Deno Deploy',
  testedOn: 'the real server',
  cannot: {},
  withVersions: {
    cannot: NO_BROTLI,
    steps: ['TREE=/var/www/palimpsest/site PORT=8080 deno run --allow-net --allow-read --allow-env main.js'],
  },
  render: (site) => [
    {
      path: 'main.js',
      where: 'any folder on the machine with the tree; for Deno Deploy, beside the folder of the tree',
      text: `// Answers from a palimpsest ${site.hasVersions ? 'site with versions' : 'tree'}: TREE=out PORT=8000 deno run --allow-net --allow-read --allow-env main.js
// On Deno Deploy this file is the entry point. Deploy it together with the tree.

// Check these lines: the folder ${site.hasVersions ? 'with head.json' : 'of the tree'}, and the path of its base URL.
const TREE = Deno.env.get('TREE') ?? 'out';
const BASE = '${site.base}';

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 8000), hostname: Deno.env.get('HOST') ?? '0.0.0.0' }, (request) => {
  const source = ${sourceOf(site, 'open', ENCODINGS)};
  return respond(request, BASE, source, console.error);
});

async function open(path, range) {
  const file = await Deno.open(\`\${TREE}/\${path}\`)${site.hasVersions ? '' : '.catch(ifMissing);\n  if (file === undefined) return undefined'};
  try {
    const { from, length } = range ?? { from: 0, length: (await file.stat()).size };
    await file.seek(from, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    let end = 0;
    for (let read = 1; read; end += read ?? 0) read = end < length ? await file.read(bytes.subarray(end)) : null;
    return bytes.subarray(0, end);
  } finally {
    file.close();
  }
}

${inlinedFetchHandler(site)}`,
    },
  ],
  steps: ['TREE=/var/www/palimpsest/out PORT=8080 deno run --allow-net --allow-read --allow-env main.js'],
};
