import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { NOT_FOUND_FILE } from '../../../src/browse/paths.ts';
import { COLLECTIONS } from '../../../src/contract/pages/collection.ts';
import { MISSING, NOT_FOUND } from '../../../src/rewrite/resolve.ts';
import { Findings, type Probe, type Trial } from '../probe.ts';

/** Checks that nothing of a missing tree is answered with 404, neither without a folder nor in a folder with other files. */
export const missingTree: Probe = (trial) =>
  damaged(trial, async (findings) => {
    const { site, withdraw, deploy } = trial;
    const targets = COLLECTIONS.flatMap((name) => ['', '?page=2', '?page=last', '?page=99'].map((query) => site.path(name) + query));
    if (trial.servesBrowse) targets.push(`${site.base}/`, `${site.base}/browse/changes/1.html`);
    if (withdraw !== undefined) {
      await withdrawAll(trial, ['index.json', 'page/2/index.json', 'page/last/index.json']);
      return unavailable(trial, findings, 'no objects', targets);
    }
    rmSync(site.tree, { recursive: true });
    // a deployment needs a folder
    if (deploy === undefined) await unavailable(trial, findings, 'no folder', targets);
    mkdirSync(join(site.tree, 'rest'), { recursive: true });
    writeFileSync(join(site.tree, 'rest/other.json'), '{}');
    await deploy?.();
    await unavailable(trial, findings, 'other files', targets);
  });

/** Checks that a page that the tree counts is not answered with 404 if its file is missing. */
export const incompleteTree: Probe = (trial) =>
  damaged(trial, async (findings) => {
    const { site } = trial;
    const pages = ['page/2/index.json', 'page/last/index.json'];
    for (const path of variantsOf(trial, pages)) rmSync(join(site.tree, path));
    await withdrawAll(trial, pages);
    for (const name of COLLECTIONS) {
      await unavailable(
        trial,
        findings,
        'incomplete',
        ['?page=2', '?page=last'].map((query) => site.path(name) + query),
      );
      const { status, body } = await trial.ask(`${site.path(name)}?page=4`);
      findings.equal('a page past the end', [status, body.toString()], [404, MISSING.body]);
    }
  });

/** Checks that a path outside the API is answered in JSON if the tree has no HTML page for it. */
export const missingNotFoundPage: Probe = (trial) =>
  damaged(trial, async (findings) => {
    const { site, ask } = trial;
    rmSync(join(site.tree, NOT_FOUND_FILE));
    await trial.deploy?.();
    for (const path of ['/nowhere', `${site.base}/nowhere`, `${site.base}/browse/changes/9.html`]) {
      const { status, headers, body } = await ask(path);
      const found = [status, headers['content-type'], body.toString()];
      findings.equal(`${path} without the page`, found, [404, 'application/json', NOT_FOUND.body]);
      findings.anyOrigin(`${path} without the page`, headers);
    }
  });

/** Checks that a page is not answered with 404 if its file cannot be read. */
export const unreadableFiles: Probe = (trial) =>
  damaged(trial, async (findings) => {
    const { site, ask } = trial;
    const target = `${site.path('data')}?page=2`;
    const files = variantsOf(trial, ['page/2/index.json']).map((path) => join(site.tree, path));
    for (const file of files) chmodSync(file, 0);
    // root may read each file, but not a symbolic link to itself
    if ((await ask(target)).status === 200) {
      for (const file of files) {
        rmSync(file);
        symlinkSync(file, file);
      }
    }
    await unavailable(trial, findings, 'unreadable', [target]);
  });

/** The paths of files of both collections, with their compressed variants. */
function variantsOf({ site }: Trial, paths: readonly string[]): string[] {
  const all = COLLECTIONS.flatMap((name) => paths.flatMap((path) => ['', '.gz', '.br'].map((suffix) => `rest/${name}/${path}${suffix}`)));
  return all.filter((path) => existsSync(join(site.tree, path)));
}

async function withdrawAll(trial: Trial, paths: readonly string[]): Promise<void> {
  const { withdraw } = trial;
  if (withdraw === undefined) await trial.deploy?.();
  else
    for (const name of COLLECTIONS)
      for (const path of paths) for (const suffix of ['', '.gz', '.br']) await withdraw(`rest/${name}/${path}${suffix}`);
}

async function unavailable({ ask }: Trial, findings: Findings, label: string, targets: readonly string[]): Promise<void> {
  for (const target of targets) {
    const answer = await ask(target);
    const { status, headers, body } = answer;
    if (target.includes('/rest/')) findings.interfaceHeaders(`${label}: ${target}`, answer);
    const found = [status >= 500 && status < 600 ? '5xx' : status, headers['content-type'], hasDetail(body)];
    findings.equal(`${label}: ${target}`, found, ['5xx', 'application/json', true]);
  }
}

/** Damages a tree, and then restores it. */
async function damaged(trial: Trial, check: (findings: Findings) => Promise<void>): Promise<readonly string[]> {
  const findings = new Findings();
  const { tree } = trial.site;
  const kept = `${tree}-kept`;
  cpSync(tree, kept, { recursive: true, preserveTimestamps: true });
  try {
    await check(findings);
  } finally {
    rmSync(tree, { recursive: true });
    renameSync(kept, tree);
    // an object that was withdrawn is not sent again
    if (trial.withdraw === undefined) await trial.deploy?.();
  }
  return findings.found;
}

/** Whether a body has the words of an error. */
export function hasDetail(body: Buffer): boolean {
  try {
    return typeof JSON.parse((body[0] === 31 ? gunzipSync(body) : body).toString()).detail === 'string';
  } catch {
    return false;
  }
}
