import { resolve } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Access, Address, Target, TargetKind } from './target.ts';
import { azure } from './targets/azure.ts';
import { folder } from './targets/folder-target.ts';
import { s3 } from './targets/s3.ts';

const TARGETS: readonly TargetKind[] = [s3, azure, folder];

/**
 * Opens the target at an address: `s3://bucket/prefix`, `az://container/prefix`, or the path of a folder.
 * @param prefix is appended to the prefix of the address
 * @throws Failure usage, no-client
 */
export async function openTarget(text: string, prefix: string, access: Access): Promise<Target> {
  checkEndpoint(access.endpoint);
  const { kind, address } = parseAddress(text, prefix);
  return kind.open(address, access);
}

/** Opens the parents of a target, nearest first: the shorter prefixes or the parent folders. */
export async function openAround(text: string, prefix: string, access: Access): Promise<readonly Target[]> {
  const { kind, address } = parseAddress(text, prefix);
  const isPath = kind.scheme === '';
  const parts = (isPath ? resolve(address.name) : address.prefix).split('/').filter((part) => part !== '');
  return Promise.all(
    parts.map((_, index) => {
      const path = parts.slice(0, parts.length - 1 - index).join('/');
      const above = isPath
        ? { container: `/${path}`, prefix: '' }
        : { container: address.container, prefix: path === '' ? '' : `${path}/` };
      return kind.open({ ...above, name: isPath ? above.container : `${kind.scheme}://${above.container}/${path}` }, access);
    }),
  );
}

/**
 * @param platform in the notation of `process.platform`
 * @throws Failure usage
 */
export function parseAddress(
  text: string,
  prefix: string,
  platform: string = process.platform,
): { readonly kind: TargetKind; readonly address: Address } {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/i.exec(text);
  const scheme = match?.[1]?.toLowerCase() ?? '';
  const known = TARGETS.find((one) => one.scheme === scheme);
  const mistaken = match === null || known === undefined ? mistakenAddress(text, platform) : undefined;
  if (mistaken !== undefined) throw mistaken;
  const kind = known ?? folder;
  const isPath = kind === folder;
  const container = isPath ? text : (match?.[2] ?? '');
  if (container === '') throw unusable('a bucket, a container or a folder', isPath ? 'an empty text' : `${scheme}:// without a name`);
  if (!isPath && /[@:?#]/.test(container)) throw unusable('the name of a bucket or container', 'a name with credentials or a query in it');
  const parts = [...plainNames(isPath ? '' : (match?.[3] ?? '')), ...plainNames(prefix, '--prefix')];
  const path = parts.join('/');
  const separator = isPath && container.endsWith('/') ? '' : '/';
  const name = (isPath ? container : `${scheme}://${container}`) + (path === '' ? '' : separator + path);
  return { kind, address: { container, prefix: path === '' ? '' : `${path}/`, name } };
}

function plainNames(prefix: string, what?: '--prefix'): readonly string[] {
  const names = prefix.split('/').filter((part) => part !== '');
  if (names.some((part) => part === '.' || part === '..' || /[?#\\]/.test(part)))
    throw unusable('a prefix of plain names, such as sites/history', 'a prefix with . or .. or a query in it', what);
  return names;
}

function checkEndpoint(endpoint: string | undefined): void {
  if (endpoint === undefined) return;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  // never shown: it may contain a password or a signature
  if (!isWeb || url.username + url.password + url.search !== '')
    throw unusable('an endpoint with http:// or https:// and a host, without a password or a query', 'another text', '--endpoint');
}

const FORMS = 's3://bucket/prefix, az://container/prefix or the path of a folder';
const HINTS = {
  target: `write ${FORMS}; set credentials in the environment`,
  '--endpoint': 'write the address of the object store, such as https://store.example, and set credentials in the environment',
  '--prefix': 'write the path below the target, such as sites/history; to go up, change the target',
} as const;

/** @param what what is not valid: the address of the target, or an option */
function unusable(expected: string, found: string, what: keyof typeof HINTS = 'target', hint: string = HINTS[what]): Failure {
  const isTarget = what === 'target';
  const message = isTarget ? 'the target is not valid' : `the value of ${what} is not valid`;
  return new Failure('usage', message, { place: isTarget ? {} : { field: what }, expected, found, hint });
}

/** Schemes that users may type for S3, for Azure and for the web. */
const S3 = /^(s3[an]?|r2|b2|gs|gcs)$/;
const AZURE = /^(az|azure|azblob|abfss?|wasbs?)$/;
const WEB = /^https?$/;
const OTHER = /^(ftp|sftp|ssh|file)$/;

/**
 * Returns a Failure if a text looks like a mistyped address; undefined for a path. A colon in the first name of a path
 * suggests a mistake: `s3:/bucket`, `user@host:/site`. A folder with such a name is written `./s3:`.
 * @param platform in the notation of `process.platform`: only Windows has drive letters
 */
function mistakenAddress(text: string, platform: string): Failure | undefined {
  if (platform === 'win32' && /^[a-z]:/i.test(text)) return undefined;
  const [, first = '', colon = '', rest = ''] = /^([^\\/:]*)(:?)(.*)$/s.exec(text) ?? [];
  const scheme = first.toLowerCase();
  // with slashes but without the colon, such a text is not a folder either
  const lacksColon = rest.startsWith('//') && [S3, AZURE, WEB, OTHER].some((schemes) => schemes.test(scheme));
  if (colon === '' && !lacksColon) return undefined;
  const folderHint = WEB.test(scheme) ? '' : ' (for a folder with a colon in its name, write ./name:)';
  return unusable(FORMS, 'a text that looks like an address but has another form', 'target', suggestion(scheme, rest) + folderHint);
}

function suggestion(scheme: string, rest: string): string {
  const place = rest.replace(/^[\\/]+/, '');
  // an address that may contain a password or a signature is not repeated
  const isPlain = /^[\w./~-]+$/.test(place);
  if (S3.test(scheme) || AZURE.test(scheme)) {
    const store = scheme === 'gs' || scheme === 'gcs' ? ' with --endpoint https://storage.googleapis.com' : '';
    return `did you mean ${S3.test(scheme) ? 's3' : 'az'}://${isPlain ? place : '…'}${store}?`;
  }
  if (scheme === 'file') return isPlain ? `did you mean /${place}?` : 'write the path of the folder';
  if (WEB.test(scheme)) return 'name a bucket or container as s3://bucket/prefix or az://container/prefix, and its host with --endpoint';
  return `write ${FORMS}`;
}
