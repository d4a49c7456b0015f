// Writes generated neutral snapshots of profiles that change often, as NDJSON to standard output:
//   node bench/changing-profiles.js SNAPSHOTS ACCOUNTS
// The same arguments give the same bytes. They have the shape of snapshots that were taken weeks apart: almost every snapshot
// changes the bio, some change the name, the location or the website. Some accounts rename.
// cspell:ignore circonscription
import { once } from 'node:events';
import { numbers } from './numbers.js';

const [snapshots = 1000, accounts = 250] = process.argv.slice(2).map(Number);
const WORDS = (
  'Member of Parliament for Leeds and Wakefield. Chair of the Select Committee on #climate 🌹 Former teacher, mum of two. ' +
  'Views my own @someone RTs not endorsements | she/her 🇬🇧 For casework please email office@example.org Author of “The Valley” ' +
  'Député de la 3ᵉ circonscription • Engineer at @example 日本語 writing about science, football & coffee'
).split(' ');
const START = Date.UTC(2019, 0, 1);
const STEP = 60_000;

const below = numbers(2);
const word = () => WORDS[below(WORDS.length)];
const people = Array.from({ length: accounts }, (_, index) => ({
  handle: `member_${index}`,
  name: `Member Number ${index}`,
  bio: Array.from({ length: 12 + below(14) }, word),
  location: `Constituency ${index % 650}`,
  website: `https://example.org/member/${index}`,
}));

function change(person, index) {
  const { bio } = person;
  if (below(10) > 0) for (let edits = 1 + below(3); edits > 0; edits -= 1) bio.splice(below(bio.length), below(2), word());
  if (bio.length > 30) bio.splice(below(20), 10);
  if (below(4) === 0) person.name = `${person.name.replace(/ .$/u, '')} ${['🌹', '🌳', '✨', 'X'][below(4)]}`;
  if (below(6) === 0) person.location = `${word()}, ${word()}`;
  if (below(8) === 0) person.website = `https://example.org/${person.handle}/${index}`;
  if (below(500) === 0) person.handle = `member_${below(accounts)}_${index}`;
}

for (let index = 0; index < snapshots; index += 1) {
  const number = below(accounts);
  const person = people[number];
  change(person, index);
  const line = JSON.stringify({
    observed_at: new Date(START + index * STEP).toISOString(),
    screen_name: person.handle,
    id: String(5000 + number),
    display_name: person.name,
    bio: person.bio.join(' '),
    location: person.location,
    website: person.website,
    verified: number % 3 === 0,
  });
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
