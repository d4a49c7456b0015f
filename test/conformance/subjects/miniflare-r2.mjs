// Runs what wrangler.jsonc says on workerd, with a tree in a bucket of R2: miniflare-r2.mjs MODULES FILES TREE PORT
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, files, tree, port] = process.argv.slice(2);
const { Miniflare } = createRequire(join(modules, 'package.json'))('miniflare');
const config = JSON.parse(readFileSync(join(files, 'wrangler.jsonc'), 'utf8').replace(/\/\/ .*$/gm, ''));
const [{ binding, bucket_name }] = config.r2_buckets;

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: Number(port),
  cf: false,
  modules: [{ type: 'ESModule', path: join(files, config.main) }],
  modulesRoot: files,
  compatibilityDate: config.compatibility_date,
  r2Buckets: { [binding]: bucket_name },
});
const bucket = await miniflare.getR2Bucket(binding);
for (const path of readdirSync(tree, { recursive: true })) {
  if (statSync(join(tree, path)).isFile()) await bucket.put(path, readFileSync(join(tree, path)));
}
