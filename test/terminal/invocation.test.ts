import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { invocationOf } from '../../src/terminal/invocation.ts';

const CACHED = '/home/a/.npm/_npx/1/node_modules/.bin/palimpsest';
const NPX = { npm_command: 'exec', npm_config_user_agent: 'npm/10.8.2 node/v20' };

describe('the invocation', () => {
  it.each<[string, string, { [name: string]: string }]>([
    ['palimpsest', '/usr/local/bin/palimpsest', { PATH: '/usr/bin:/usr/local/bin' }],
    ['/opt/palimpsest', '/opt/palimpsest', { PATH: '/usr/bin' }],
    ['npx palimpsest', '/home/a/project/node_modules/.bin/palimpsest', { PATH: '/usr/bin', ...NPX }],
    ['npx palimpsest', '/home/a/project/node_modules/.bin/palimpsest', {}],
    ['npx palimpsest', '/home/a/node_modules/.bin/palimpsest', NPX],
    // a name in a registry that anybody could have
    [CACHED, CACHED, { PATH: dirname(CACHED), ...NPX }],
    ['/home/b/node_modules/.bin/palimpsest', '/home/b/node_modules/.bin/palimpsest', NPX],
    ['pnpm exec palimpsest', '/home/a/project/node_modules/.bin/palimpsest', { npm_config_user_agent: 'pnpm/9.1.0' }],
    ['node bin/palimpsest.js', '/home/a/project/bin/palimpsest.js', {}],
    ['node bin/palimpsest.js', '/home/a/project/bin/palimpsest.js', { npm_command: 'start', npm_config_user_agent: 'npm/10' }],
    ["node '/home/a b/bin/palimpsest.js'", '/home/a b/bin/palimpsest.js', {}],
  ])('is %s for %s', (expected, script, env) => {
    expect(invocationOf(script, env, '/home/a/project')).toBe(expected);
  });
});
