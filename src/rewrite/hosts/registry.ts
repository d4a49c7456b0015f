import { apache } from './apache.ts';
import { bun } from './bun.ts';
import { caddy } from './caddy.ts';
import { cloudflareWorkers } from './cloudflare-workers.ts';
import { cloudfrontFunctions } from './cloudfront-functions.ts';
import { deno } from './deno.ts';
import { fastly } from './fastly.ts';
import { haproxy } from './haproxy.ts';
import type { Host } from './host.ts';
import { lambdaEdge } from './lambda-edge.ts';
import { lighttpd } from './lighttpd.ts';
import { netlify } from './netlify.ts';
import { nginx } from './nginx.ts';
import { nginxNjs } from './nginx-njs.ts';
import { node } from './node.ts';
import { serviceWorker } from './service-worker.ts';
import { varnish } from './varnish.ts';
import { vercel } from './vercel.ts';

/** All supported hosts: web servers, JavaScript runtimes and platforms. */
export const HOSTS: readonly Host[] = [
  nginx,
  nginxNjs,
  apache,
  caddy,
  lighttpd,
  varnish,
  haproxy,
  node,
  deno,
  bun,
  cloudflareWorkers,
  netlify,
  vercel,
  cloudfrontFunctions,
  lambdaEdge,
  fastly,
  serviceWorker,
];
