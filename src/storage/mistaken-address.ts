import { Failure } from '../contract/failure.ts';

/** Schemes that users may type, with the scheme that reaches the same store. */
const INTENDED: { readonly [scheme: string]: string } = {
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
/** Other URL schemes. With slashes but without the colon, such a text is not a folder either. */
const WEB = ['http', 'https', 'ftp', 'sftp', 'ssh', 'file'];

/**
 * Returns a Failure if a text looks like a mistyped address; undefined for a path. A colon in the first name of a path
 * suggests a mistake: `s3:/bucket`, `user@host:/site`. A folder with such a name is written `./s3:`.
 * @param platform in the notation of `process.platform`: only Windows has drive letters
 */
export function mistakenAddress(text: string, platform: string): Failure | undefined {
  if (platform === 'win32' && /^[a-z]:/i.test(text)) return undefined;
  const [, first = '', colon = '', rest = ''] = /^([^\\/:]*)(:?)(.*)$/s.exec(text) ?? [];
  const scheme = first.toLowerCase();
  const lacksColon = rest.startsWith('//') && (scheme in INTENDED || WEB.includes(scheme));
  if (colon === '' && !lacksColon) return undefined;
  return new Failure('usage', 'the target is not valid', {
    expected: 's3://bucket/prefix, az://container/prefix or the path of a folder',
    found: 'a text that looks like an address but has another form',
    hint: isWeb(scheme) ? suggestion(scheme, rest) : `${suggestion(scheme, rest)} (for a folder with a colon in its name, write ./name:)`,
  });
}

function isWeb(scheme: string): boolean {
  return scheme === 'http' || scheme === 'https';
}

function suggestion(scheme: string, rest: string): string {
  const place = rest.replace(/^[\\/]+/, '');
  // an address that may contain a password or a signature is not repeated
  const isPlain = /^[\w./~-]+$/.test(place);
  const intended = INTENDED[scheme];
  if (intended !== undefined) {
    const store = scheme === 'gs' || scheme === 'gcs' ? ' with --endpoint https://storage.googleapis.com' : '';
    return isPlain ? `did you mean ${intended}://${place}${store}?` : `did you mean ${intended}://…${store}?`;
  }
  if (scheme === 'file') return isPlain ? `did you mean /${place}?` : 'write the path of the folder';
  if (isWeb(scheme)) return 'name a bucket or container as s3://bucket/prefix or az://container/prefix, and its host with --endpoint';
  return 'write s3://bucket/prefix, az://container/prefix or the path of a folder';
}
