import { describe, expect, it } from 'vitest';
import { diffHtml } from '../../src/diff/diff-html.ts';

/** Returns the href of a website; undefined if the website is shown as text. */
function href(website: string): string | undefined {
  const html = diffHtml('Website', undefined, website);
  return /<a href='([^']*)'>/.exec(html)?.[1];
}

describe('a website that is a safe URL', () => {
  it.each([
    ['https://x.example', 'https://x.example'],
    ['HTTPS://X.example/A', 'https://X.example/A'],
    ['x.example', 'http://x.example'],
    ['x.example:8080/a?b#c', 'http://x.example:8080/a?b#c'],
    ['http://192.0.2.1/', 'http://192.0.2.1/'],
    ['http://[2001:db8::1]:80/', 'http://[2001:db8::1]:80/'],
    ['http://пример.example/ä?ö', 'http://пример.example/ä?ö'],
    ['http://x.example/a@b', 'http://x.example/a@b'],
    ['http://x.example/<script>', 'http://x.example/&lt;script&gt;'],
    [`http://x.example/'"&amp;`, 'http://x.example/&#39;&quot;&amp;amp;'],
  ])('is shown as a link: %j', (website, expected) => expect(href(website)).toBe(expected));
});

describe('a website that is not a safe URL', () => {
  it.each([
    '',
    'my site',
    'x',
    '.',
    'x.',
    '.example',
    '2017',
    'http://0x7f000001/x.y',
    'localhost',
    'javascript:alert(1)',
    'JavaScript:alert(1)//x.example',
    'javascript://x.example/%0aalert(1)',
    'data:text/html,<b>x.example',
    'ftp://x.example',
    'mailto:me@x.example',
    '//x.example',
    'http:x.example',
    'http:///x.example',
    'http://me@x.example',
    'http://x.example\\@y.example',
    'http://x.example/a b',
    'http://x.example\n',
    'http://x.example/\u0085',
    'http://x.example/\u00a0',
    'http://x.example:99999',
    'http://x.exa<mple',
    'http://[::1',
    'http://?x.example',
  ])('is shown as text: %j', (website) => {
    expect(href(website)).toBeUndefined();
    expect(diffHtml('Website', website, null)).not.toContain('<a');
  });
});

describe('a scheme added to a website', () => {
  it('is the only text shown as added', () => {
    expect(diffHtml('Website', 'x.example/<', 'https://x.example/<')).toBe(
      '<ins style="background:#e6ffe6;">https://</ins><span>x.example/&lt;</span>',
    );
  });

  it.each([
    [null, 'http://'],
    ['', 'http://'],
    ['x.example', 'ftp://x.example'],
    ['x.example', 'http://x.example/'],
    ['X.example', 'http://x.example'],
    ['http://x.example', 'x.example'],
  ])('is not recognized from %j to %j', (before, after) => expect(diffHtml('Website', before, after)).toMatch(/^\n<del>.*<\/ins>\n$/));
});
