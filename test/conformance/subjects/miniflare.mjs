// Runs what wrangler.jsonc says on workerd, with the tree as assets or in a bucket of R2: miniflare.mjs MODULES FILES TREE PORT
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, files, tree, port] = process.argv.slice(2);
const { Miniflare } = createRequire(join(modules, 'package.json'))('miniflare');
const config = JSON.parse(readFileSync(join(files, 'wrangler.jsonc'), 'utf8').replace(/\/\/ .*$/gm, ''));

const options = {
  host: '127.0.0.1',
  cf: false,
  modules: [{ type: 'ESModule', path: join(files, config.main) }],
  modulesRoot: files,
  compatibilityDate: config.compatibility_date,
};
if (config.assets) {
  const { binding, run_worker_first, html_handling, not_found_handling } = config.assets;
  const routerConfig = { has_user_worker: true, invoke_user_worker_ahead_of_assets: run_worker_first };
  options.assets = { directory: tree, binding, routerConfig, assetConfig: { html_handling, not_found_handling } };
}
for (const { binding, bucket_name } of config.r2_buckets ?? []) options.r2Buckets = { [binding]: bucket_name };
const miniflare = new Miniflare(options);
for (const { binding } of config.r2_buckets ?? []) {
  const bucket = await miniflare.getR2Bucket(binding);
  const paths = readdirSync(tree, { recursive: true }).filter((path) => statSync(join(tree, path)).isFile());
  for (const path of paths) await bucket.put(path, new Uint8Array(readFileSync(join(tree, path))));
}
// nobody reaches it before the bucket has everything
await miniflare.setOptions({ ...options, port: Number(port) });
console.log('ready');
