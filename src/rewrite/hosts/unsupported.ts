import type { RefusedHost } from './host.ts';

const BLIND = 'the query is never seen, and every page would be answered with page 1, in silence';

/** Hosts that cannot be made to answer pages by their number. */
export const REFUSED: readonly RefusedHost[] = [
  {
    name: 'azure-static-web-apps',
    title: 'Azure Static Web Apps',
    reason: `the routes of staticwebapp.config.json match paths only: ${BLIND}`,
    instead: 'put Cloudflare Workers in front, or serve the tree with nginx or Caddy on a container',
  },
  {
    name: 'firebase-hosting',
    title: 'Firebase Hosting',
    reason: `the rewrites of firebase.json match paths only: ${BLIND}`,
    instead: 'put Cloudflare Workers in front, or rewrite to Cloud Run and answer there with the node host',
  },
  {
    name: 'github-pages',
    title: 'GitHub Pages',
    reason: `it has no rules at all: ${BLIND}`,
    instead: 'put Cloudflare Workers in front, or deploy the same tree to Netlify or Cloudflare Workers',
  },
  {
    name: 's3-website',
    title: 'S3 website hosting',
    reason: `its routing rules match the beginning of a key only: ${BLIND}`,
    instead: 'put CloudFront in front of the bucket, with cloudfront-functions or lambda-edge',
  },
];
