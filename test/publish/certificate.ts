import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Requirement, requirement } from '../support/requirement.ts';

export const openssl: Requirement = requirement('openssl', () => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

/** A self-signed certificate with its key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The path of the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly path: string;
}

/** Creates a certificate for this machine, and for the host names that are reached through a proxy. */
export function makeCertificate(folder: string, hosts: readonly string[] = []): Certificate {
  const names = ['IP:127.0.0.1', ...hosts.map((host) => `DNS:${host}`)].join(',');
  const [path, keyPath] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=palimpsest-test'];
  execFileSync('openssl', [...args, '-keyout', keyPath, '-out', path, '-addext', `subjectAltName=${names}`], { stdio: 'ignore' });
  return { cert: readFileSync(path, 'utf8'), key: readFileSync(keyPath, 'utf8'), path };
}
