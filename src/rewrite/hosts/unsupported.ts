import type { RefusedHost } from './host.ts';

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
