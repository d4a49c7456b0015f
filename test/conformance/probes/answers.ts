import { NOT_FOUND_FILE } from '../../../src/browse/paths.ts';
import { literal } from '../../../src/rewrite/patterns.ts';
import { BROWSE_TYPES, DESCRIPTIONS, MISSING as MISSING_PAGE, NOT_FOUND } from '../../../src/rewrite/resolve.ts';
import { eachCollection, Findings, type Probe, type Trial } from '../probe.ts';
import {
  KNOWN_SPELLINGS,
  RARE_METHODS,
  REDIRECTED_ENCODINGS,
  REDIRECTED_QUERIES,
  UNKNOWN_METHODS,
  UNKNOWN_SPELLINGS,
} from '../requests.ts';
import { queries } from './queries.ts';

const MISSING = ['?page=4', '?page=0', '?page=abc', '?page=99999999999999999999'];
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Checks that HEAD equals GET without a body. The length of an error body may be missing. */
export const head: Probe = eachCollection(async ({ ask }, path, findings) => {
  const encodings = ['identity', 'gzip', 'gzip;q=0', 'br, gzip;q=0.5'].map((encoding) => [`${path}?page=2`, encoding] as const);
  for (const [target, encoding] of [...[path, `${path}?page=4`].map((target) => [target, 'identity'] as const), ...encodings]) {
    const headers = { 'Accept-Encoding': encoding };
    const [get, answer] = [await ask(target, 'GET', headers), await ask(target, 'HEAD', headers)];
    // a runtime that compresses while sending does not know the length
    const isStreamed = get.headers['content-encoding'] !== undefined && get.headers['content-length'] === undefined;
    const hasLength = get.status === 200 && !isStreamed;
    const names = ['content-type', 'allow', 'vary', 'etag', ...(hasLength ? ['content-length'] : [])];
    const kept = (headers: typeof get.headers) => names.map((name) => headers[name]);
    findings.equal(`HEAD ${target} ${encoding}`, [answer.status, answer.body.length], [get.status, 0]);
    findings.equal(`HEAD ${target} ${encoding}`, kept(answer.headers), kept(get.headers));
  }
});

export const headers: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const target of [path, `${path}?page=1`, `${path}?page=2`, `${path}?page=last`])
    findings.interfaceHeaders(target, await ask(target));
});

export const errorHeaders: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const query of MISSING) findings.interfaceHeaders(query, await ask(path + query));
  for (const method of METHODS) findings.interfaceHeaders(method, await ask(path, method));
});

export const missingPage: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const query of MISSING) {
    const { status, body } = await ask(path + query);
    findings.equal(query, [status, body.toString()], [404, MISSING_PAGE.body]);
  }
});

/** Checks that people get the page of the site for a path outside the API, if the host sends it. */
export const unknownPath: Probe = async (trial) => {
  const { base } = trial.site;
  const paths = [
    '/',
    '/favicon.ico',
    `${base}/rest`,
    `${base}/rest/`,
    `${base}/rest/other/`,
    `${base}/rest/data/1/`,
    `${base}/rest/Data/`,
    `${base}/rest/datax`,
  ];
  if (base !== '') paths.push('/rest/data/', `${base}x/rest/data/`);
  return unknown(trial, paths);
};

async function unknown({ ask, site, sendsNotFoundPage }: Trial, paths: readonly string[]): Promise<readonly string[]> {
  const findings = new Findings();
  for (const target of paths.flatMap((path) => [path, `${path}?page=2`])) {
    const { status, headers, body } = await ask(target);
    const isPage = sendsNotFoundPage && !new RegExp(`^${literal(site.base)}/rest(?![^/?])`).test(target);
    const [type, text] = isPage ? [BROWSE_TYPES['html'], site.file(NOT_FOUND_FILE).toString()] : ['application/json', NOT_FOUND.body];
    findings.equal(target, [status, headers['content-type'], body.toString()], [404, type, text]);
    if (!isPage) findings.anyOrigin(target, headers);
  }
  return findings.found;
}

/** Checks that patterns match the end of the path, not of a line. */
export const controlCharacters: Probe = async (trial) => {
  const findings = new Findings();
  for (const path of ['data/%0A', 'data%0A', 'account/%0D%0A', 'account%0AX-Header:%20value'])
    findings.equal(path, (await trial.ask(`${trial.site.base}/rest/${path}`)).status, 404);
  return [...findings.found, ...(await queries('control-characters')(trial))];
};

/** Checks paths with segments that a server may remove. */
export const exactPath: Probe = (trial) =>
  unknown(
    trial,
    UNKNOWN_SPELLINGS.map((path) => trial.site.base + path),
  );

/** Checks that a percent-encoded path equals its decoded form. */
export const encodedPath: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  for (const [path, collection] of KNOWN_SPELLINGS) {
    const { status, headers: found, body } = await ask(`${site.base}${path}?page=2`);
    if (/%2F$|\/$/.test(path)) {
      findings.equal(path, status, 200);
      if (status === 200) findings.bytes(path, body, site.page(collection, 2));
    } else findings.equal(path, [status, found.location], [301, `${site.path(collection)}?page=2`]);
  }
  return findings.found;
};

export const redirect: Probe = eachCollection(async ({ ask }, path, findings) => {
  const slashless = path.slice(0, -1);
  for (const query of REDIRECTED_QUERIES) {
    const { status, headers } = await ask(slashless + query);
    findings.equal(`without its slash ${query}`, [status, headers.location], [301, path + query]);
    findings.anyOrigin(`without its slash ${query}`, headers);
  }
  const { status, headers } = await ask(`${slashless}?`);
  findings.equal('without its slash and with an empty query', [status, headers.location], [301, path]);
  for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE']) {
    const answer = await ask(`${slashless}?page=2`, method);
    findings.equal(`${method} without its slash`, [answer.status, answer.headers.location], [301, `${path}?page=2`]);
  }
});

export const redirectEncoding: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const query of REDIRECTED_ENCODINGS) {
    const { status, headers } = await ask(path.slice(0, -1) + query);
    findings.equal(`without its slash ${query}`, [status, headers.location], [301, path + query]);
  }
});

/** Checks that every kind of answer has each header once. */
export const singleHeaders: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  const path = site.path('data');
  const { headers: page } = await ask(path);
  const asked: [target: string, method?: string, headers?: Record<string, string>][] = [
    [path],
    [`${path}?page=2`, 'GET', { 'Accept-Encoding': 'gzip' }],
    [`${path}?page=2`, 'GET', { 'Accept-Encoding': 'br', Range: 'bytes=0-1' }],
    [path, 'GET', { 'If-None-Match': page.etag ?? '' }],
    [path, 'HEAD'],
    [path, 'OPTIONS'],
    ...[...METHODS, ...RARE_METHODS].map((method): [string, string] => [path, method]),
    ...MISSING.map((query): [string] => [path + query]),
    [path.slice(0, -1)],
    [`${path.slice(0, -1)}?page=2`, 'POST'],
    ['/nowhere'],
  ];
  for (const [target, method = 'GET', headers = {}] of asked) {
    const { names } = await ask(target, method, headers);
    if (names === undefined) throw new Error('nobody knows which headers came');
    const lower = names.map((name) => name.toLowerCase());
    findings.equal(
      `${method} ${target}`,
      lower.filter((name, index) => lower.indexOf(name) !== index),
      [],
    );
  }
  return findings.found;
};

export const options: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const target of [path, `${path}?page=99`]) {
    const answer = await ask(target, 'OPTIONS');
    findings.equal(`OPTIONS ${target}`, answer.status, 200);
    findings.interfaceHeaders(`OPTIONS ${target}`, answer);
  }
});

export const optionsBody: Probe = eachCollection(async ({ ask }, path, findings, collection) => {
  for (const target of [path, `${path}?page=99`]) {
    const { body } = await ask(target, 'OPTIONS');
    findings.equal(`OPTIONS ${target}`, body.toString(), DESCRIPTIONS[collection]);
  }
});

export const methods: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const method of METHODS)
    for (const query of ['', '?page=2', '?page=99']) findings.equal(method + query, (await ask(path + query, method)).status, 405);
});

export const methodsBody: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const method of METHODS)
    findings.equal(method, (await ask(path, method)).body.toString(), `{"detail":"Method \\"${method}\\" not allowed."}`);
});

export const rareMethods: Probe = refusedMethods(RARE_METHODS);
export const unknownMethods: Probe = refusedMethods(UNKNOWN_METHODS);

/** Checks methods that servers often answer themselves. */
function refusedMethods(methods: readonly string[]): Probe {
  return eachCollection(async ({ ask }, path, findings) => {
    for (const method of methods) {
      const answer = await ask(`${path}?page=2`, method).catch(String);
      if (typeof answer === 'string') {
        findings.equal(method, answer, 'an answer');
        continue;
      }
      findings.equal(method, [answer.status, answer.body.toString()], [405, `{"detail":"Method \\"${method}\\" not allowed."}`]);
      findings.interfaceHeaders(method, answer);
    }
  });
}
