import { NOT_FOUND_FILE } from '../../../src/browse/paths.ts';
import { BROWSE_TYPES } from '../../../src/rewrite/resolve.ts';
import { UNSERVED_PATHS } from '../browse-files.ts';
import { eachCollection, Findings, type Probe } from '../probe.ts';
import { ACCEPTS } from '../requests.ts';
import { missingNotFoundPage } from './trees.ts';

/** Checks that the home page and the files below `browse/` are served with their media types, and no other file. */
export const browse: Probe = async (trial) => {
  const { ask, site, sendsNotFoundPage } = trial;
  const findings = new Findings();
  const { base } = site;
  for (const path of ['', ...site.browseFiles()]) {
    const file = path === '' ? 'index.html' : path;
    const answer = await ask(`${base}/${path}`, 'GET', { Accept: ACCEPTS[0] ?? '' });
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
    'nowhere',
    'nowhere/?page=2',
    'rest-x',
  ];
  for (const path of [...missing, ...UNSERVED_PATHS]) {
    const { status, headers, body } = await ask(`${base}/${path}`);
    findings.equal(`/${path}`, status, 404);
    // nginx answers a path with dot segments in JSON
    if (!sendsNotFoundPage || path.includes('/../')) continue;
    const found = [headers['content-type'], headers['cache-control']];
    findings.equal(`/${path}: headers`, found, [BROWSE_TYPES['html'], 'no-cache']);
    findings.bytes(`/${path}`, body, site.file(NOT_FOUND_FILE));
  }
  if (base !== '') {
    const { status, headers } = await ask(base);
    findings.equal('without its slash', [status, headers.location], [301, `${base}/`]);
    findings.equal('outside the site', (await ask('/browse/changes/1.html')).status, 404);
  }
  // a version has each file that it lists
  if (!sendsNotFoundPage || trial.target !== undefined) return findings.found;
  return [...findings.found, ...(await missingNotFoundPage(trial))];
};

/** Checks that the API is JSON for every client, also for a browser, and with browse files too. */
export const onlyJson: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  for (const accept of ACCEPTS) {
    const answer = await ask(`${path}?page=2`, 'GET', accept === '' ? {} : { Accept: accept });
    findings.interfaceHeaders(`for ${accept}`, answer);
    findings.bytes(`for ${accept}`, answer.body, site.page(collection, 2));
  }
});
