import { DESCRIPTIONS, MISSING as MISSING_PAGE, NOT_FOUND } from '../../../src/rewrite/resolve.ts';
import { eachCollection, Findings, type Probe } from '../probe.ts';

const MISSING = ['?page=4', '?page=0', '?page=abc', '?page=99999999999999999999'];
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The length of an error's body may be left out. */
export const head: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const target of [path, `${path}?page=2`, `${path}?page=4`]) {
    const [get, answer] = [await ask(target), await ask(target, 'HEAD')];
    const names = ['content-type', 'allow', 'vary', 'etag', ...(get.status === 200 ? ['content-length'] : [])];
    const kept = (headers: typeof get.headers) => names.map((name) => headers[name]);
    findings.equal(`HEAD ${target}`, [answer.status, answer.body.length], [get.status, 0]);
    findings.equal(`HEAD ${target}`, kept(answer.headers), kept(get.headers));
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

export const unknownPath: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  const { base } = site;
  const paths = [
    '/',
    '/favicon.ico',
    `${base}/rest/`,
    `${base}/rest/other/`,
    `${base}/rest/data/1/`,
    // the end of a text, not of a line, is the end of a path
    `${base}/rest/data/%0A`,
    `${base}/rest/data%0A`,
    `${base}/rest/account/%0D%0A`,
    `${base}/rest/account%0AX-Header:%20value`,
    `${base}/rest/Data/`,
    `${base}/rest/datax`,
  ];
  if (base !== '') paths.push('/rest/data/', `${base}x/rest/data/`);
  for (const target of paths.flatMap((path) => [path, `${path}?page=2`])) {
    const { status, headers, body } = await ask(target);
    findings.equal(target, [status, headers['content-type'], body.toString()], [404, 'application/json', NOT_FOUND.body]);
  }
  return findings.found;
};

export const redirect: Probe = eachCollection(async ({ ask }, path, findings) => {
  for (const query of ['', '?page=2', '?a=%2F&page=2&b', '?page=0_2']) {
    const { status, headers } = await ask(path.slice(0, -1) + query);
    const { pathname, search } = new URL(headers.location ?? '', 'http://host.example');
    findings.equal(`without its slash ${query}`, [status, pathname + search], [301, path + query]);
  }
});

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
