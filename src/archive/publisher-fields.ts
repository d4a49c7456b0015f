import { type About, webUrl } from '../contract/site-json.ts';

// What a `site.json` says, under the names that each format of archives has for it.

interface Field {
  readonly label: string;
  readonly value: string;
}

/** Returns the fields of a datapackage.json (Data Package 1). @param counts describes what the package has */
export function packageFields(about: About, counts: string): object {
  const { title, publisher, description, contact, source, license, license_url } = about;
  const address = contact && { [webUrl.accepts(contact) ? 'path' : 'email']: contact };
  return {
    title,
    description: description === undefined ? counts : `${description}\n\n${counts}`,
    contributors: [{ title: publisher, ...address, role: 'publisher' }],
    sources: source && [{ title: source, path: webUrl.accepts(source) ? source : undefined }],
    licenses: (license ?? license_url) && [licenseEntry(about)],
  };
}

/** A license needs a name or an address. A name has no spaces: that of `CC BY 4.0` is `CC-BY-4.0`. */
function licenseEntry({ license, license_url }: About): object {
  if (license_url !== undefined) return { title: license, path: license_url };
  const name = license?.replace(/[^\w.-]+/g, '-');
  return { name, title: name === license ? undefined : license };
}

/** Returns the lines of a warcinfo record. The names are those of WARC 1.1 and of Dublin Core. */
export function warcinfoLines(about: About): string[] {
  const { title, publisher, description, contact, source } = about;
  const fields = fieldsOf([
    ['title', title],
    ['abstract', description],
    ['publisher', publisher],
    ['operator', contact && `${publisher} (${contact})`],
    ['source', source],
    ['license', licenseOf(about)],
  ]);
  return fields.map(({ label, value }) => `${label}: ${value}`);
}

/** Returns the fields of a bag-info.txt. BagIt has no names for a title, a source, a license, and a contact that is a URL. */
export function bagInfoFields(about: About): Field[] {
  const { title, publisher, description, contact, source } = about;
  return fieldsOf([
    ['Source-Organization', publisher],
    [webUrl.accepts(contact) ? 'Contact-URL' : 'Contact-Email', contact],
    ['Title', title],
    ['External-Description', description],
    ['Source', source],
    ['License', licenseOf(about)],
  ]);
}

function fieldsOf(fields: readonly (readonly [label: string, value: string | undefined])[]): Field[] {
  return fields.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

function licenseOf({ license, license_url }: About): string | undefined {
  return license !== undefined && license_url !== undefined ? `${license} (${license_url})` : (license ?? license_url);
}
