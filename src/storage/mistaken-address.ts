import { Failure } from '../contract/failure.ts';

/** Schemes that people type, and the one that reaches the same store. */
const MEANT: { readonly [scheme: string]: string } = {
  s3: 's3',
  s3a: 's3',
  s3n: 's3',
  r2: 's3',
  b2: 's3',
  gs: 's3',
  gcs: 's3',
  az: 'az',
  azure: 'az',
  azblob: 'az',
  abfs: 'az',
  abfss: 'az',
  wasb: 'az',
  wasbs: 'az',
};
/** What else a URL may begin with: written with slashes and without its colon it is no folder either. */
const WEB = ['http', 'https', 'ftp', 'sftp', 'ssh', 'file'];

/**
 * Why a path to publish to is a mistyped address; undefined for a path. A colon in a path's first name is none of a
 * folder that somebody means: `s3:/bucket`, `user@host:/site`. Such a folder is reached as `./s3:`.
 * @param platform as Node names it: only on Windows a drive letter stands before a colon
 */
export function mistakenAddress(text: string, platform: string): Failure | undefined {
  if (platform === 'win32' && /^[a-z]:/i.test(text)) return undefined;
  const [, first = '', colon = '', rest = ''] = /^([^\\/:]*)(:?)(.*)$/s.exec(text) ?? [];
  const scheme = first.toLowerCase();
  const lacksColon = rest.startsWith('//') && (scheme in MEANT || WEB.includes(scheme));
  if (colon === '' && !lacksColon) return undefined;
  return new Failure('usage', 'that is no place to publish to', {
    expected: 's3://bucket/prefix, az://container/prefix or the path of a folder',
    found: 'a text that looks like an address and is none of these',
    hint: `${suggestion(scheme, rest)}; a folder whose name has a colon is written ./name:`,
  });
}

function suggestion(scheme: string, rest: string): string {
  const place = rest.replace(/^[\\/]+/, '');
  // a place that may hold a password or a signature is not repeated
  const isPlain = /^[\w./~-]+$/.test(place);
  const meant = MEANT[scheme];
  if (meant !== undefined) {
    const store = scheme === 'gs' || scheme === 'gcs' ? ' with --endpoint https://storage.googleapis.com' : '';
    return isPlain ? `did you mean ${meant}://${place}${store}?` : `did you mean ${meant}://…${store}?`;
  }
  if (scheme === 'file') return isPlain ? `did you mean /${place}?` : 'write the path of the folder';
  if (scheme === 'http' || scheme === 'https') return 'write s3://bucket/prefix or az://container/prefix, with --endpoint for the host';
  return 'write s3://bucket/prefix, az://container/prefix or the path of a folder';
}
