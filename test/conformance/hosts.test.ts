import { expect, test } from 'vitest';
import { HOSTS } from '../../src/rewrite/hosts/registry.ts';
import type { Subject } from './subject.ts';
import { apache } from './subjects/apache.ts';
import { bun } from './subjects/bun.ts';
import { caddy } from './subjects/caddy.ts';
import { deno } from './subjects/deno.ts';
import { haproxy } from './subjects/haproxy.ts';
import { lighttpd } from './subjects/lighttpd.ts';
import { nginx } from './subjects/nginx.ts';
import { nginxNjs } from './subjects/nginx-njs.ts';
import { node } from './subjects/node.ts';
import { varnish } from './subjects/varnish.ts';
import { conforms } from './suite.ts';

/** Every host, with the real thing that its files are tried on. */
const SUBJECTS: readonly Subject[] = [nginx, nginxNjs, apache, caddy, lighttpd, varnish, haproxy, node, deno, bun];

for (const subject of SUBJECTS) conforms(subject);

test('every host is tried', () => {
  expect(SUBJECTS.map(({ host }) => host.name)).toEqual(HOSTS.map(({ name }) => name));
});
