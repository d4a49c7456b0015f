import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bagInfoFields, packageFields } from '../../src/archive/publisher-fields.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { archiveOf, SAMPLE, treeOf } from './archived.ts';

const SITE = {
  title: 'Profiles of the press',
  publisher: 'Archive of Öffentliche Rede',
  description: 'What editors say about themselves',
  contact: 'office@archive.example',
  source: 'https://social.example',
  license: 'CC BY 4.0',
  license_url: 'https://creativecommons.org/licenses/by/4.0/',
};

it('says in each archive who publishes it, as site.json says, also without HTML pages', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('site.json'), JSON.stringify(SITE));
  const out = await treeOf(folder, SAMPLE, ['--site', at('site.json')]);

  // a WACZ has its files without compression
  const wacz = readFileSync(await archiveOf(out, 'wacz', at('a.wacz')), 'utf8');
  expect(JSON.parse(/\{"profile":"data-package".*/.exec(wacz)?.[0] ?? '')).toMatchObject({
    title: SITE.title,
    description: expect.stringMatching(/^What editors say about themselves\n\nThe pages of a JSON API: \d+ records/),
    contributors: [{ title: SITE.publisher, email: SITE.contact, role: 'publisher' }],
    sources: [{ title: SITE.source, path: SITE.source }],
    licenses: [{ title: SITE.license, path: SITE.license_url }],
  });

  const warc = readFileSync(await archiveOf(out, 'warc', at('a.warc')), 'utf8');
  for (const line of [
    `title: ${SITE.title}`,
    `abstract: ${SITE.description}`,
    `publisher: ${SITE.publisher}`,
    `operator: ${SITE.publisher} (${SITE.contact})`,
    `source: ${SITE.source}`,
    `license: ${SITE.license} (${SITE.license_url})`,
  ]) {
    expect(warc.slice(0, warc.indexOf('WARC-Type: resource'))).toContain(`\r\n${line}\r\n`);
  }

  const bag = ['archive', 'bag', '--out', out, '--to', at('bag'), '--bag-info', 'source-organization=Other'];
  expect((await palimpsestHere(bag)).code).toBe(0);
  expect(readFileSync(at('bag/bag-info.txt'), 'utf8').split('\n').slice(-7)).toEqual([
    `Contact-Email: ${SITE.contact}`,
    `Title: ${SITE.title}`,
    `External-Description: ${SITE.description}`,
    `Source: ${SITE.source}`,
    `License: ${SITE.license} (${SITE.license_url})`,
    'source-organization: Other',
    '',
  ]);
});

it('has no empty fields for what site.json does not say', () => {
  const about = { title: 'A', publisher: 'B', contact: 'https://b.example/ask', license: 'CC0-1.0' };
  expect(JSON.parse(JSON.stringify(packageFields(about, 'counts')))).toEqual({
    title: 'A',
    description: 'counts',
    contributors: [{ title: 'B', path: 'https://b.example/ask', role: 'publisher' }],
    licenses: [{ name: 'CC0-1.0' }],
  });
  expect(bagInfoFields(about).map(({ label }) => label)).toEqual(['Source-Organization', 'Contact-URL', 'Title', 'License']);
});

it.each([
  ['CC0-1.0', { name: 'CC0-1.0' }],
  ['CC BY 4.0', { name: 'CC-BY-4.0', title: 'CC BY 4.0' }],
  ['© Archive', { name: '-Archive', title: '© Archive' }],
])('the name of a license is an identifier, as the schema of Data Package 1 wants it: %s', (license, entry) => {
  const fields = packageFields({ title: 'A', publisher: 'B', license }, 'counts');
  expect(JSON.parse(JSON.stringify(fields))).toMatchObject({ licenses: [entry] });
  expect(entry.name).toMatch(/^([-a-zA-Z0-9._])+$/);
});
