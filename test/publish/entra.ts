import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { type Certificate, webToken } from './certificate.ts';
import { portOf } from './stores.ts';

/** The host names to which Azure's clients connect. */
export const AZURE_HOSTS = ['login.microsoftonline.com', '*.blob.core.windows.net'];

const HEADER = 'bG9jYWwtaWRlbnRpdHk';
/** The assertion of the job's identity provider, to be exchanged for a token. */
export const ASSERTION = 'assertion-that-a-job-was-given';

/** A simulation of Microsoft's identity service, with a proxy to it and to the storage. */
export interface Entra {
  /** The environment that directs a program's requests for Azure's hosts to the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment of a managed identity, as in App Service. */
  readonly machine: Readonly<Record<string, string>>;
  /** Seconds for which the storage accepts a token. */
  lifetime: number;
  /** The lifetime in seconds that a token claims, if it differs from the real one. */
  said: number | undefined;
  /** All issued tokens. */
  readonly given: string[];
  readonly stop: () => Promise<void>;
}

/** Starts the identity service, and a proxy to it and to the storage at an endpoint. */
export async function startEntra(certificate: Certificate, storage: string): Promise<Entra> {
  function give(): { readonly access_token: string; readonly seconds: number } {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now, exp: now + entra.lifetime };
    const claims = { aud: 'https://storage.azure.com', iss: 'https://sts.windows.net/tenant/', jti: String(entra.given.length), ...times };
    const access_token = webToken(claims, certificate);
    entra.given.push(access_token);
    return { access_token, seconds: entra.said ?? entra.lifetime };
  }

  function answer(outgoing: ServerResponse, status: number, body: object): void {
    outgoing.writeHead(status, { 'Content-Type': 'application/json' });
    outgoing.end(JSON.stringify(body));
  }

  async function exchange(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const asked = new URLSearchParams(Buffer.concat(pieces).toString());
    if (asked.get('client_assertion') !== ASSERTION) {
      return answer(outgoing, 401, { error: 'invalid_client', error_description: 'AADSTS700211: No matching federated identity record.' });
    }
    const { access_token, seconds } = give();
    answer(outgoing, 200, { token_type: 'Bearer', expires_in: seconds, ext_expires_in: seconds, access_token });
  }

  const login = createTlsServer(certificate, (incoming, outgoing) => void exchange(incoming, outgoing));
  const way = createServer((incoming, outgoing) => {
    if (incoming.headers['x-identity-header'] !== HEADER) return answer(outgoing, 401, { message: 'no such identity' });
    const { access_token, seconds } = give();
    const expires_on = String(Math.floor(Date.now() / 1000) + seconds);
    answer(outgoing, 200, { access_token, expires_on, resource: 'https://storage.azure.com', token_type: 'Bearer' });
  });
  way.on('connect', (incoming: IncomingMessage, socket) => {
    const host = incoming.url ?? '';
    const port = host === 'login.microsoftonline.com:443' ? portOf(login) : host.endsWith('.blob.core.windows.net:443') ? storagePort : 0;
    if (port === 0) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });

  const storagePort = Number(new URL(storage).port);
  for (const server of [login, way]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = `http://127.0.0.1:${portOf(way)}`;
  const stop = async () => {
    for (const server of [login, way]) {
      server.close();
      server.closeAllConnections();
    }
  };
  const entra: Entra = {
    env: { HTTPS_PROXY: here, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificate.path, AZURE_STORAGE_ACCOUNT: 'devstoreaccount1' },
    machine: { IDENTITY_ENDPOINT: `${here}/msi/token`, IDENTITY_HEADER: HEADER },
    lifetime: 3600,
    said: undefined,
    given: [],
    stop,
  };
  return entra;
}
