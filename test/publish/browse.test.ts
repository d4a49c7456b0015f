import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublishOptions } from '../../src/publish/publish.ts';
import { openTarget } from '../../src/storage/open-target.ts';
import { removeAccounts } from '../../src/store/exclusions/remove.ts';
import { build } from '../../src/tree/build/build.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { pagesIn } from '../whole/trees.ts';
import { publishHere } from './in-process.ts';

/** A tree with browse files, and a target in a folder. */
async function workplace() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const target = await openTarget(at('site'), '', { connections: 1, secrets: {} });
  const send = (more: Partial<PublishOptions> = {}) =>
    publishHere(target, at('out'), { concurrency: 1, allowGaps: true, allowOtherFiles: false, ...more });
  return {
    at,
    grow: (records: number) => importHistory(at('store.db'), goodHistory(records)),
    remove: (name: string) => removeAccounts(at('store.db'), [name], { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false }),
    build: (html = true) => build(at('store.db'), { out: at('out'), site: SITE, html }),
    send,
    /** Publishes until `files` files were sent, and then stops as by Ctrl-C. */
    sendUntil: async (files: number) => {
      const stop = new AbortController();
      let sent = 0;
      const onProgress = (phase: string) => {
        sent += Number(phase === 'send');
        if (sent === files) stop.abort();
      };
      await expect(send({ signal: stop.signal, onProgress })).rejects.toMatchObject({ code: 'stopped' });
    },
    /** The files at the target, and those that it must have. */
    both: () => {
      const there = new Map(filesIn(at('site')));
      there.delete('publish.json');
      return { there, wanted: pagesIn(at('out')) };
    },
  };
}

describe('a publish of browse files', () => {
  it('has at each moment all files that a reader who follows links from the home page comes to', async () => {
    const place = await workplace();
    const broken = () => {
      const { there } = place.both();
      const reached = new Set(['index.html']);
      for (const path of reached) {
        const links = path.endsWith('.html') ? String(there.get(path)).matchAll(/href="?((?:\.\.\/)*(?:browse\/|index)[^"#> ]*)/g) : [];
        for (const [, link = ''] of links) reached.add(posix.join(posix.dirname(path), link));
      }
      expect(reached.size).toBeGreaterThan(15);
      return [...reached].filter((path) => !there.has(path));
    };
    await place.grow(20);
    await place.build();
    await place.send();
    await place.grow(60);
    await place.build();
    const { uploads } = (await place.send({ dryRun: true })).plan;
    for (let sent = 0; sent < uploads - 5; sent += 5) {
      await place.sendUntil(5);
      expect(broken()).toEqual([]);
    }
    await place.send();
    expect([broken(), place.both().there]).toEqual([[], place.both().wanted]);
  });

  it('leaves nothing of an account that was removed after an interrupted run', async () => {
    const place = await workplace();
    await place.grow(3);
    await place.build();
    await place.send();
    await place.grow(30);
    await place.build();
    // the browse files are sent after the pages
    await place.sendUntil((await place.send({ dryRun: true })).plan.uploads - 2);
    expect([...place.both().there.keys()].join()).toContain('/dee.html');
    await place.remove('dee');
    await place.build();
    await place.send();
    const { there, wanted } = place.both();
    expect(there).toEqual(wanted);
    expect([...there.keys()].join()).not.toContain('/dee');
  });

  it('deletes no HTML page if the manifest of the tree is touched during the run, and the next run goes on', async () => {
    const place = await workplace();
    await place.grow(20);
    await place.build();
    await place.send();
    await place.grow(60);
    await place.build();
    const before = [...place.both().there.keys()];
    let isTouched = false;
    const onProgress = (phase: string) => {
      if (phase === 'send' && !isTouched) utimesSync(place.at('out/manifest-sha256.txt'), 1, 1);
      isTouched ||= phase === 'send';
    };
    await expect(place.send({ onProgress })).rejects.toMatchObject({ code: 'tree-edited' });
    expect(before.filter((path) => !place.both().there.has(path))).toEqual([]);
    await place.send();
    expect(place.both().there).toEqual(place.both().wanted);
  });

  it('takes over a target that another tool copied', async () => {
    const place = await workplace();
    await place.grow(30);
    await place.build();
    await place.send();
    rmSync(place.at('site/publish.json'));
    await place.grow(31);
    await place.build(false);
    const { done } = await place.send();
    expect(done.deletes).toBeGreaterThan(10);
    const { there, wanted } = place.both();
    expect(there).toEqual(wanted);
  });

  it('does not replace a home page of another program', async () => {
    const place = await workplace();
    await place.grow(30);
    await place.build(false);
    await place.send();
    writeFileSync(place.at('site/index.html'), 'mine');
    await place.build();
    await expect(place.send()).rejects.toMatchObject({ code: 'not-ours', place: { file: 'index.html' } });
    expect(readFileSync(place.at('site/index.html'), 'utf8')).toBe('mine');
    await place.build(false);
    await place.send();
    expect(readFileSync(place.at('site/index.html'), 'utf8')).toBe('mine');
  });
});
