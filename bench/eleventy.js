// The same records with Eleventy: one template with pagination writes the pages of the feed alone, without a store or checks.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timed } from './measure.js';

const CONFIGURATION = `
import { readFileSync } from 'node:fs';
export default (eleventy) => {
  eleventy.addGlobalData('records', () =>
    readFileSync(process.env.RECORDS, 'utf8').split('\\n').filter((line) => line !== '').map((line) => JSON.parse(line)).reverse());
};
`;
const TEMPLATE = `
const url = (number) => 'https://history.example/rest/data/?page=' + number;
export default class {
  data() {
    return {
      eleventyExcludeFromCollections: true,
      pagination: { data: 'records', size: 100 },
      permalink: ({ pagination }) => 'rest/data/page/' + (pagination.pageNumber + 1) + '/index.json',
    };
  }
  render({ records, pagination }) {
    const [number, last] = [pagination.pageNumber + 1, pagination.pages.length];
    return JSON.stringify({
      count: records.length,
      next: number < last ? url(number + 1) : null,
      previous: number > 1 ? url(number - 1) : null,
      results: pagination.items,
    });
  }
}
`;

/** Installs Eleventy in a folder. Returns a function that measures a build of the records, or undefined without a registry. */
export function installEleventy(folder, ndjson) {
  const site = join(folder, 'eleventy');
  mkdirSync(join(site, 'pages'), { recursive: true });
  writeFileSync(join(site, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(site, 'eleventy.config.js'), CONFIGURATION);
  writeFileSync(join(site, 'pages', 'feed.11ty.js'), TEMPLATE);
  const { status } = spawnSync('npm', ['install', '--prefix', site, '--no-save', '--no-audit', '--no-fund', '@11ty/eleventy@3']);
  if (status !== 0) return undefined;
  const program = join(site, 'node_modules', '@11ty', 'eleventy', 'cmd.cjs');
  const build = [
    'cd "$0" && RECORDS="$1" exec "$2" --max-old-space-size=8000 "$3" --quiet --input pages --output site',
    site,
    ndjson,
    process.execPath,
    program,
  ];
  return () => {
    rmSync(join(site, 'site'), { recursive: true, force: true });
    return timed('sh', ['-c', ...build]);
  };
}
