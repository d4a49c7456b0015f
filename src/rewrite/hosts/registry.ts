import type { Host, RefusedHost } from './host.ts';

/** All supported hosts: web servers, JavaScript runtimes and platforms. Only the one that is asked for is loaded. */
const HOSTS: ReadonlyMap<string, () => Promise<{ readonly host: Host }>> = new Map([
  ['nginx', () => import('./nginx.ts')],
  ['nginx-njs', () => import('./nginx-njs.ts')],
  ['apache', () => import('./apache.ts')],
  ['caddy', () => import('./caddy.ts')],
  ['lighttpd', () => import('./lighttpd.ts')],
  ['varnish', () => import('./varnish.ts')],
  ['haproxy', () => import('./haproxy.ts')],
  ['node', () => import('./node.ts')],
  ['deno', () => import('./deno.ts')],
  ['bun', () => import('./bun.ts')],
  ['cloudflare-workers', () => import('./cloudflare-workers.ts')],
  ['netlify', () => import('./netlify.ts')],
  ['vercel', () => import('./vercel.ts')],
  ['cloudfront-functions', () => import('./cloudfront-functions.ts')],
  ['lambda-edge', () => import('./lambda-edge.ts')],
  ['fastly', () => import('./fastly.ts')],
  ['service-worker', () => import('./service-worker.ts')],
]);

export const HOST_NAMES: readonly string[] = [...HOSTS.keys()];

/** Returns the host with a name, if there is one. */
export async function hostNamed(name: string): Promise<Host | undefined> {
  return (await HOSTS.get(name)?.())?.host;
}

export async function allHosts(): Promise<readonly Host[]> {
  return await Promise.all(Array.from(HOSTS.values(), async (load) => (await load()).host));
}

const BLIND = 'they ignore the query, so every request would silently return page 1';

/** Hosts that cannot support `?page=N`. */
export const REFUSED: readonly RefusedHost[] = [
  {
    name: 'azure-static-web-apps',
    title: 'Azure Static Web Apps',
    reason: `the routes in staticwebapp.config.json match only paths: ${BLIND}`,
    instead: 'put Cloudflare Workers in front, or serve the tree with nginx or Caddy on a container',
  },
  {
    name: 'firebase-hosting',
    title: 'Firebase Hosting',
    reason: `the rewrites in firebase.json match only paths: ${BLIND}`,
    instead: 'put Cloudflare Workers in front, or rewrite to Cloud Run and use the node host there',
  },
  {
    name: 'github-pages',
    title: 'GitHub Pages',
    reason: 'it has no rules and ignores the query, so every request would silently return page 1',
    instead: 'put Cloudflare Workers in front, or deploy the same tree to Netlify or Cloudflare Workers',
  },
  {
    name: 's3-website',
    title: 'S3 website hosting',
    reason: `its routing rules match only the start of a key: ${BLIND}`,
    instead: 'put CloudFront in front of the bucket, with cloudfront-functions or lambda-edge',
  },
];
