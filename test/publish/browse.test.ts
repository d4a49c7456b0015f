import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mediaTypeOf } from '../../src/publish/objects/headers.ts';
import type { PublishOptions } from '../../src/publish/publish.ts';
import { BROWSE_TYPES } from '../../src/rewrite/resolve.ts';
import { openTarget } from '../../src/storage/address.ts';
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
  it('is completed by the next run after an interruption at any place, and sends no file twice', async () => {
    const place = await workplace();
    await place.grow(30);
    await place.build();
    const files = pagesIn(place.at('out')).size - 3;
    for (const sent of [1, files - 20, files - 1]) {
      rmSync(place.at('site'), { recursive: true, force: true });
      await place.sendUntil(sent);
      expect(readFileSync(place.at('site/publish.json'), 'utf8')).toContain('publishing');
      const { done } = await place.send();
      // each interrupted request is completed before the run ends
      expect(done.uploads).toBe(files - sent);
      const { there, wanted } = place.both();
      expect(there).toEqual(wanted);
    }
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

  it('is repaired file by file', async () => {
    const place = await workplace();
    await place.grow(30);
    await place.build();
    await place.send();
    writeFileSync(place.at('site/browse/changes/2.html'), 'damaged');
    rmSync(place.at('site/index.html'));
    expect((await place.send()).done.uploads).toBe(0);
    expect((await place.send({ repair: true })).done).toMatchObject({ uploads: 2, deletes: 0 });
    const { there, wanted } = place.both();
    expect(there).toEqual(wanted);
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

  it('gives files the media types that hosts give them', () => {
    for (const [suffix, type] of Object.entries(BROWSE_TYPES)) expect(mediaTypeOf(`browse/a.${suffix}`)).toBe(type);
  });
});
