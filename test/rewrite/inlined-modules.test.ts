import { describe, expect, it } from 'vitest';
import { inlined, inlinedFetchHandler, type Module, sourceOf } from '../../src/rewrite/inlined-modules.ts';
import { LEGEND, spelled, UNNORMALIZED } from '../../src/rewrite/patterns.ts';

const TEXT = `import { a } from './a.js';
import b from './b.js';
/** What it does. */
export function c() {
    /** One
     * of two. */
    // a comment
    if (a)
        return 'export b; import a';
    while (b)
        continue;
    return "// text  /** text */";
}
export {};
`;

describe('the end of a script', () => {
  it('has modules without imports, exports, comments and indentation', () => {
    expect(inlined((name) => (name === 'resolve' ? TEXT : `${name};\n`), 'resolve', 'answer')).toBe(
      `// The rest is the same on every host. Do not edit it.

function c() {
if (a) return 'export b; import a';
while (b)
continue; return "// text  /** text */";
}
export {};

answer;
`,
    );
  });

  it.each<readonly [boolean, readonly Module[], string]>([
    [false, ['resolve', 'answer', 'files', 'fetch-handler'], 'inFiles(open, files)'],
    [true, ['resolve', 'answer', 'as-of', 'zip-member', 'versions', 'fetch-handler'], 'inVersions(open, WEB_TOOLS)'],
  ])('has what a site needs, with versions: %s', (hasVersions, modules, source) => {
    expect(
      inlinedFetchHandler({ program: (name) => name, hasVersions })
        .split('\n')
        .slice(2),
    ).toEqual(modules);
    expect(sourceOf({ hasVersions }, 'open', 'files')).toBe(source);
    expect(sourceOf({ hasVersions }, 'open', 'files', 'own')).toBe(source.replace('WEB_TOOLS', 'own'));
  });
});

describe('the pattern for an undecoded path', () => {
  it('matches each character as it is or percent-encoded', () => {
    const pattern = new RegExp(`^${spelled('/a.j')}$`);
    expect(['/a.j', '%2Fa.j', '%2f%61%2e%6A', '/a%2E%6a'].filter((path) => !pattern.test(path))).toEqual([]);
    expect(['/axj', '/A.j', '/a.j/', 'x/a.j', '%2Fa.%4A'].filter((path) => pattern.test(path))).toEqual([]);
  });

  it('matches empty and dot segments', () => {
    const pattern = new RegExp(`^[^?]*${UNNORMALIZED}`);
    expect(['/a//b', '/a%2f/b', '/./b', '/..?c', '/a/%2e%2E', '/a/.%2e%2Fb', '/. HTTP'].filter((path) => !pattern.test(path))).toEqual([]);
    expect(['/a/b', '/a/.b', '/a/...', '/a?b//c', '/a/b.'].filter((path) => pattern.test(path))).toEqual([]);
  });

  it('is explained in each generated file', () => {
    expect(LEGEND).toBe('In the patterns, %70%61%67%65 means "page", + %20 %09 and similar are white space, and %2B is a plus sign.');
  });
});
