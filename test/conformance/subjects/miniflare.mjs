// Runs what wrangler.jsonc says on workerd: miniflare.mjs MODULES FILES TREE PORT
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, files, tree, port] = process.argv.slice(2);
const { Miniflare } = createRequire(join(modules, 'package.json'))('miniflare');
const config = JSON.parse(readFileSync(join(files, 'wrangler.jsonc'), 'utf8').replace(/\/\/ .*$/gm, ''));
const { binding, run_worker_first, html_handling, not_found_handling } = config.assets;

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: Number(port),
  cf: false,
  modules: [{ type: 'ESModule', path: join(files, config.main) }],
  modulesRoot: files,
  compatibilityDate: config.compatibility_date,
  assets: {
    directory: tree,
    binding,
    routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: run_worker_first },
    assetConfig: { html_handling, not_found_handling },
  },
});
await miniflare.ready;
console.log('ready');
