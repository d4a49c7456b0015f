// Writes generated neutral snapshots of profiles as NDJSON to standard output:
//   node bench/snapshots.js SNAPSHOTS ACCOUNTS
// The same arguments give the same bytes. A snapshot is about 430 bytes; one in two hundred has a changed bio.
// They are nearly in time order, like samples of a stream.
import { once } from 'node:events';
import { numbers } from './numbers.js';

const [snapshots = 1000, accounts = 100] = process.argv.slice(2).map(Number);
const WORDS =
  'engineer father of two dogs lover of coffee and mountains opinions my own writing about #climate with @someone from Leeds'.split(' ');
const START = Date.UTC(2022, 0, 1);
/** The greatest distance of a snapshot from its place in time order, in milliseconds. */
const SPREAD = 300_000;

const below = numbers(1);
const word = () => WORDS[below(WORDS.length)];
const bios = Array.from({ length: accounts }, () => Array.from({ length: 18 }, word).join(' '));

function snapshot(index) {
  const account = below(accounts);
  if (below(200) === 0) bios[account] = `${bios[account].split(' ').slice(1).join(' ')} ${word()}`;
  return JSON.stringify({
    observed_at: new Date(START + index * 1000 + below(2 * SPREAD)).toISOString(),
    screen_name: `user_${account}`,
    id: String(1_000_000 + account),
    display_name: `User Number ${account}`,
    bio: bios[account],
    location: 'Leeds, England',
    website: `https://example.org/u/${account}`,
    verified: account % 10 === 0,
    profile_image_url: `https://pictures.example.org/${account}/normal.jpg`,
    account_creation_date: '2010-11-29T21:18:15Z',
  });
}

for (let index = 0; index < snapshots; index += 1) {
  if (!process.stdout.write(`${snapshot(index)}\n`)) await once(process.stdout, 'drain');
}
