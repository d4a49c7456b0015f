// Writes generated neutral snapshots, half of them of one account, as NDJSON to standard output:
//   node bench/skewed-snapshots.js SNAPSHOTS ACCOUNTS [EVERY]
// The same arguments give the same bytes. One snapshot in EVERY snapshots (default: 200) changes a field: mostly the bio, less often the
// name, the location or the website. A bio has about 115 characters, and up to 200 after many changes. The snapshots are nearly in time
// order, like samples of a stream.
import { once } from 'node:events';
import { numbers } from './numbers.js';

const [snapshots = 1000, accounts = 100, every = 200] = process.argv.slice(2).map(Number);
const WORDS = (
  'Member of Parliament for Leeds and Wakefield. Chair of the Select Committee on #climate 🌹 Former teacher, mum of two. ' +
  'Views my own @someone RTs not endorsements | she/her For casework please email office@example.org'
).split(' ');
const PLACES = ['Leeds, England', 'London', 'House of Commons', 'Wakefield & Westminster'];
const START = Date.UTC(2022, 0, 1);
/** The size of the shuffle buffer, in lines: a random line of it is written next. */
const SHUFFLE_BUFFER = 300;

const below = numbers(4);
const word = () => WORDS[below(WORDS.length)];
const people = Array.from({ length: accounts }, (_, index) => ({
  name: `Member Number ${index}`,
  bio: Array.from({ length: 18 }, word),
  location: PLACES[index % PLACES.length],
  website: `https://example.org/member/${index}`,
}));

function change(person, index) {
  const field = below(10);
  if (field < 7) person.bio.splice(below(person.bio.length), 1, `${word()}${index % 1000}`);
  else if (field === 7) person.name = `${person.name.replace(/ \d+x$/, '')} ${index % 1000}x`;
  else if (field === 8) person.location = `${PLACES[below(PLACES.length)]} ${index % 1000}`;
  else person.website = `https://example.org/${index}`;
}

function snapshot(index) {
  const account = below(2) === 0 ? 0 : below(accounts);
  const person = people[account];
  if (below(every) === 0) change(person, index);
  return JSON.stringify({
    observed_at: new Date(START + index * 1000).toISOString(),
    id: String(1_000_000 + account),
    screen_name: `member_${account}`,
    display_name: person.name,
    bio: person.bio.join(' '),
    location: person.location,
    website: person.website,
    verified: account % 3 === 0,
  });
}

const buffer = Array.from({ length: Math.min(SHUFFLE_BUFFER, snapshots) }, (_, index) => snapshot(index));
for (let index = buffer.length; buffer.length > 0; index += 1) {
  const [line] = buffer.splice(below(buffer.length), 1, ...(index < snapshots ? [snapshot(index)] : []));
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
