// Which file Netlify's own matcher leads each request target to, by the rules in a netlify.toml:
// netlify-rules.mjs MODULES FOLDER TARGETS
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, folder, targets] = process.argv.slice(2);
const from = createRequire(join(modules, 'package.json'));
const { RedirectsHandler } = await import(pathToFileURL(from.resolve('@netlify/redirects')));
const configPath = join(folder, 'netlify.toml');
const redirects = new RedirectsHandler({
  configPath,
  configRedirects: [],
  jwtRoleClaim: '',
  jwtSecret: '',
  projectDir: folder,
  publicDir: folder,
});

const files = [];
for (const target of JSON.parse(targets)) {
  const match = await redirects.match(new Request(`http://site.example${target}`));
  files.push(match ? new URL(match.target).pathname : null);
}
console.log(JSON.stringify(files));
