import { apache } from './apache.ts';
import { bun } from './bun.ts';
import { caddy } from './caddy.ts';
import { deno } from './deno.ts';
import { haproxy } from './haproxy.ts';
import type { Host } from './host.ts';
import { lighttpd } from './lighttpd.ts';
import { nginx } from './nginx.ts';
import { nginxNjs } from './nginx-njs.ts';
import { node } from './node.ts';
import { varnish } from './varnish.ts';

/** Every host that answers pages by their number, servers before services. */
export const HOSTS: readonly Host[] = [nginx, nginxNjs, apache, caddy, lighttpd, varnish, haproxy, node, deno, bun];
