import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteText } from '../../src/browse/markup.ts';
import { partOf } from '../../src/browse/parts.ts';
import { accountPage, changesArchive, changesPage } from '../../src/browse/paths.ts';

/** Characters that pages show as U+FFFD, that character, and other characters without a meaning. */
const NOT_SHOWN = ['\u0080', '\u0085', '\u009f', '\ufffd', '\ufffe', '\uffff', '\ufdd0', '\u{10ffff}'];

/** Handles that are likely to be confused: few characters, both cases, other scripts, signs, reserved names, characters that are not shown. */
const handle = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', '.', '-', '_', '1', '~'), minLength: 1, maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('東', '京', 'é', 'É', 'x', 'X', '/', '\\', ':', '*', ' '), minLength: 1, maxLength: 5 }),
  fc.constantFrom('con', 'CON', 'con.x', 'nul', 'com1', 'lpt9.html', 'a.', '.a', '..', 'K'.repeat(300), 'k'.repeat(51), '東'.repeat(200)),
  fc.string({ unit: fc.constantFrom(...NOT_SHOWN, 'a', '\u00c2', '\u00ef\u00bf'), minLength: 1, maxLength: 4 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
);

/** Names that FAT, NTFS and URLs allow, and that no shell expands: no space, no dot at an end, no device of Windows. */
const NAME = /^[a-z0-9_.~-]+$/;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

describe('the path of an account', () => {
  it('is valid on every file system', () => {
    fc.assert(
      fc.property(handle, fc.nat(3000), (text, part) => {
        const [, , folder = '', name = ''] = accountPage(byteText(text), part).split('/');
        expect(folder).toMatch(/^[0-9a-f]{2}$/);
        expect(name).toMatch(NAME);
        expect(name).not.toMatch(DEVICE);
        expect(name).not.toMatch(/^\.|\.$|^-$/);
        expect(name.length).toBeLessThan(100);
      }),
    );
  });

  it('differs for two handles and for two parts, also under case folding', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(handle, fc.nat(3)), { minLength: 2, selector: JSON.stringify }), (accounts) => {
        const paths = accounts.map(([text, part]) => accountPage(byteText(text), part));
        expect(new Set(paths.map((path) => path.toUpperCase())).size).toBe(paths.length);
      }),
      { numRuns: 500 },
    );
  });

  it('has the handle, the letter case or a hash as its name, in the folder of its CRC-32', () => {
    expect(accountPage('nina_k')).toBe('browse/account/62/nina_k.html');
    expect(accountPage('nina_k', 2)).toBe('browse/account/62/nina_k~p2.html');
    expect(accountPage('NinaK')).toMatch(/^browse\/account\/..\/ninak~11\.html$/);
    expect(accountPage(byteText('東京a'))).toMatch(/^browse\/account\/..\/a~x[0-9a-f]{32}\.html$/);
    fc.assert(
      fc.property(handle, (text) => {
        const folder = (crc32(byteText(text) === text ? text : Buffer.from(byteText(text), 'latin1')) >>> 24).toString(16);
        expect(accountPage(byteText(text)).split('/')[2]).toBe(folder.padStart(2, '0'));
      }),
    );
  });
});

describe('the part of a path', () => {
  it('is that of the folder for an account, and counts 500 pages for a list', () => {
    expect(partOf(accountPage('nina_k', 3))).toBe('account/62');
    expect([partOf(changesPage(500)), partOf(changesPage(501))]).toEqual(['changes/0', 'changes/1']);
    expect(partOf(changesArchive(501))).toBe('changes/1');
  });

  it('is unknown for a path of no browse file', () => {
    for (const path of ['rest/data/index.json', 'browse/changes/0.html', 'browse/account/zz/a.html', 'browse/other.txt', 'manifest.txt'])
      expect(partOf(path)).toBeUndefined();
  });
});
