// Runs what wrangler.jsonc says on workerd, with a tree in a bucket of R2: miniflare-r2.mjs MODULES FILES TREE [WRAPPER] PORT
// WRAPPER is a module in FILES that calls the worker. With it nothing is cached.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, files, tree, ...rest] = process.argv.slice(2);
const [port, wrapper] = rest.reverse();
const { Miniflare } = createRequire(join(modules, 'package.json'))('miniflare');
const config = JSON.parse(readFileSync(join(files, 'wrangler.jsonc'), 'utf8').replace(/\/\/ .*$/gm, ''));
const [{ binding, bucket_name }] = config.r2_buckets;

const options = {
  host: '127.0.0.1',
  cf: false,
  modules: [...(wrapper === undefined ? [] : [wrapper]), config.main].map((name) => ({ type: 'ESModule', path: join(files, name) })),
  cache: wrapper === undefined,
  modulesRoot: files,
  compatibilityDate: config.compatibility_date,
  r2Buckets: { [binding]: bucket_name },
};
const miniflare = new Miniflare(options);
const bucket = await miniflare.getR2Bucket(binding);
const paths = readdirSync(tree, { recursive: true }).filter((path) => statSync(join(tree, path)).isFile());
// some at a time, because a tree can be large
for (let at = 0; at < paths.length; at += 32) {
  const some = paths.slice(at, at + 32);
  await Promise.all(some.map((path) => bucket.put(path, new Uint8Array(readFileSync(join(tree, path))))));
}
// nobody reaches it before the bucket has the whole tree
await miniflare.setOptions({ ...options, port: Number(port) });
console.log('ready');
