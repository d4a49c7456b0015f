import { BROWSE_TYPES, HTML_FOLDERS } from '../../../src/rewrite/browse.ts';
import { MISSING } from '../../../src/rewrite/resolve.ts';
import { UNSERVED_PATHS } from '../browse-files.ts';
import { eachCollection, Findings, type Probe, varies } from '../probe.ts';
import { HTML_ACCEPTS, JSON_ACCEPTS } from '../requests.ts';

const BROWSER = { Accept: HTML_ACCEPTS[0] ?? '' };

/** Checks that the home page and the files below `browse/` are served with their media types, and no other file. */
export const browse: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  const { base } = site;
  for (const path of ['', ...site.browseFiles()]) {
    const file = path === '' ? 'index.html' : path;
    const answer = await ask(`${base}/${path}`, 'GET', BROWSER);
    findings.equal(`/${path}`, [answer.status, answer.headers['content-type']], [200, BROWSE_TYPES[file.split('.').at(-1) ?? '']]);
    findings.equal(`/${path}: Cache-Control`, /max-age=0\b.*must-revalidate/.test(answer.headers['cache-control'] ?? ''), true);
    findings.bytes(`/${path}`, answer.body, site.file(file));
  }
  for (const path of ['', 'browse/assets/style.css']) {
    const { etag } = (await ask(`${base}/${path}`)).headers;
    findings.equal(`304 for /${path}`, (await ask(`${base}/${path}`, 'GET', { 'If-None-Match': etag ?? '""' })).status, 304);
    const { status, body } = await ask(`${base}/${path}`, 'HEAD');
    findings.equal(`HEAD /${path}`, [status, body.length], [200, 0]);
    findings.equal(`POST /${path}`, (await ask(`${base}/${path}`, 'POST')).status, 405);
  }
  const missing = [
    'browse',
    'browse/',
    'browse/changes/9.html',
    'browse/assets/none.css',
    'browse/x/../changes/1.html/',
    'browse/style.css',
  ];
  for (const path of [...missing, ...UNSERVED_PATHS]) findings.equal(`/${path}`, (await ask(`${base}/${path}`)).status, 404);
  if (base !== '') {
    const { status, headers } = await ask(base);
    findings.equal('without its slash', [status, headers.location], [301, `${base}/`]);
    for (const path of ['/', '/index.html', '/browse/changes/1.html']) findings.equal(path, (await ask(path)).status, 404);
  }
  return findings.found;
};

/** Checks that clients that ask for HTML get the HTML page, and all others JSON, in turn. */
export const html: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  const htmlOf = (page: number) => site.file(`${HTML_FOLDERS[collection]}/${page}.html`);
  for (const [at, accept] of [...HTML_ACCEPTS.entries()]) {
    const [query, page] = (
      [
        ['', 1],
        ['?page=2', 2],
        ['?page=', 1],
        ['?page=03', 3],
        ['?a=b&page=1', 1],
      ] as const
    )[at % 5] ?? ['', 1];
    const answer = await ask(path + query, 'GET', { Accept: accept });
    findings.equal(`${query} for ${accept}`, [answer.status, answer.headers['content-type']], [200, BROWSE_TYPES['html']]);
    findings.bytes(`${query} for ${accept}`, answer.body, htmlOf(page));
    findings.equal(`${query} for ${accept}: Vary has Accept`, varies(answer.headers.vary).includes('accept'), true);
    const json = await ask(path + query, 'GET', { Accept: JSON_ACCEPTS[at % JSON_ACCEPTS.length] ?? '' });
    findings.interfaceHeaders(`${query} for JSON`, json);
    findings.bytes(`${query} for JSON`, json.body, site.page(collection, page));
  }
  for (const accept of JSON_ACCEPTS) {
    const answer = await ask(`${path}?page=2`, 'GET', accept === '' ? {} : { Accept: accept });
    findings.interfaceHeaders(`for ${accept}`, answer);
    findings.bytes(`for ${accept}`, answer.body, site.page(collection, 2));
  }
  // the last page has no second file in HTML
  const last = await ask(`${path}?page=last`, 'GET', BROWSER);
  findings.interfaceHeaders('?page=last', last);
  findings.bytes('?page=last', last.body, site.page(collection, 3));
  for (const query of ['?page=4', '?page=abc']) {
    const { status, headers, body } = await ask(path + query, 'GET', BROWSER);
    const isJson = headers['content-type'] === 'application/json';
    findings.equal(query, [status, isJson ? body.toString() : MISSING.body], [404, MISSING.body]);
  }
  const [page, refused] = [await ask(`${path}?page=2`, 'HEAD', BROWSER), await ask(path, 'POST', BROWSER)];
  findings.equal('HEAD', [page.status, page.headers['content-type'], page.body.length], [200, BROWSE_TYPES['html'], 0]);
  findings.equal('POST', refused.status, 405);
});

/** Checks that a tree without browse files has only JSON, also for browsers. */
export const onlyJson: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  const answer = await ask(`${path}?page=2`, 'GET', BROWSER);
  findings.interfaceHeaders('for a browser', answer);
  findings.bytes('for a browser', answer.body, site.page(collection, 2));
});
