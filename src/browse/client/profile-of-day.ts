import { counted } from '../numbers.ts';
import { comparedField } from './comparison.ts';
import { type KnownDays, knownDays, lastDay, lastKnown } from './known-days.ts';
import {
  allChanges,
  dateInput,
  dayOf,
  element,
  elements,
  endDays,
  fieldOf,
  firstDayOf,
  handleIn,
  intervalDays,
  intervalEnd,
  isMainPage,
  isRename,
  linksTo,
  mainPage,
  recall,
  remember,
  shownDay,
  sortedDays,
  textOf,
  timeOf,
  valueIn,
} from './page-elements.ts';

/** What a profile said at the end of a day. */
interface Profile {
  /** What it is, such as `profile on 5 March 2024`. */
  readonly title: string;
  /** The handle of that day, and each known field with its text. */
  readonly texts: readonly (readonly [field: string, text: string])[];
  /** Why it is empty, or why it is uncertain; '' otherwise. */
  readonly note: string;
  /** When a source showed it, such as `from 5 March 2024`. */
  readonly seen: string;
  /** The page that knows it. */
  readonly page: string;
  /** What this page knows of the time between the two days of a comparison. A `change` was first seen then. */
  readonly events: readonly ('change' | 'change first seen later may have happened' | 'rename happened' | 'rename may have happened')[];
}

const DAYS = /^#on=(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?$/;

/**
 * Adds the choice of a day, to read the profile of that day, and of a second day, to compare both. The address keeps the
 * days. Each page of an account knows some days: the script goes to the page that knows the chosen one.
 */
export function addProfileOfDay(): void {
  const place = document.querySelector<HTMLElement>('[data-day]');
  if (place === null) return;
  const [day, other] = [dateInput('day'), dateInput('other-day')];
  const result = element('div', { role: 'status' });
  place.replaceChildren(element('label', {}, 'Profile on ', day), element('label', {}, 'compared with ', other), result);
  const show = async () => {
    const { hash } = location;
    const [, first, second = ''] = DAYS.exec(hash) ?? [];
    if (first === undefined) return;
    [day.value, other.value] = [first, second];
    if (day.value !== first || other.value !== second) return result.replaceChildren('There is no such day.');
    const isOne = second === '';
    if (!isOne && second <= first) return result.replaceChildren('The second day must be after the first.');
    const days = await knownDays();
    // the reader can have chosen again
    if (location.hash !== hash) return;
    const profiles: Profile[] = [];
    const events = eventsBetween(first, second);
    // the newest first: the pages lead to older ones
    for (const one of [second, first].filter(Boolean)) {
      const key = `${mainPage()} ${hash} ${one}`;
      const known = isKnown(one) ? { ...profileOn(one, days), events, page: location.pathname } : isOne ? undefined : recall<Profile>(key);
      if (known === undefined) return location.replace(pageWith(one) + hash);
      // the page with the other day needs it
      const isShared = isOne || remember(key, known);
      if (!isShared && !isKnown(first)) return result.replaceChildren('To compare these days, allow this site to store data.');
      profiles.unshift(known);
    }
    result.replaceChildren(...shownProfiles(profiles));
    // a link of the filter by date does not scroll
    day.scrollIntoView({ block: 'nearest' });
  };
  const clear = () => {
    history.replaceState(null, '', location.pathname);
    result.replaceChildren(other.value === '' ? '' : 'Choose the first day, too.');
  };
  const choose = () => {
    const hash = `#on=${[day.value, other.value].filter(Boolean).join('..')}`;
    if (day.value === '') clear();
    else if (location.hash === hash) void show();
    else location.assign(`${mainPage()}.html${hash}`);
  };
  // a browser reports a date after each digit of its last part
  let isTyped = false;
  place.addEventListener('keydown', ({ key }) => {
    isTyped = key !== 'Enter' && (isTyped || key !== 'Tab');
    if (key === 'Enter') choose();
  });
  place.addEventListener('pointerdown', () => {
    isTyped = false;
  });
  place.addEventListener('change', () => {
    if (isTyped && day.value !== '') result.replaceChildren('Press Enter to show the profile.');
    else choose();
  });
  addEventListener('hashchange', () => void show());
  void show();
}

/** Whether this page has the records of a day, or the last ones before it. The main page knows when the account was last seen. */
function isKnown(day: string): boolean {
  return (isMainPage() || day < firstDayOf(linksTo('Newer')[0])) && (linksTo('Older').length === 0 || day >= endDays().oldest);
}

/** Returns the page that knows a day, or leads to it. */
function pageWith(day: string): string {
  const older = linksTo('Older');
  if (day >= endDays().oldest) return `${mainPage()}.html`;
  return (older.findLast((link) => firstDayOf(link) > day) ?? older[0])?.pathname ?? '';
}

/**
 * Returns what may have happened after a day and up to a later one, for each entry of this page. A rename without a known end is of the day
 * on which a source last showed the former handle, or of a later one.
 */
function eventsBetween(first: string, second: string): Profile['events'] {
  return allChanges().flatMap((change): Profile['events'] => {
    const [earliest, latest] = intervalDays(change);
    const hasEnd = Boolean(intervalEnd(change));
    if (change.matches('.F') || earliest > second || (latest <= first && (hasEnd || earliest < first))) return [];
    if (isRename(change)) return [hasEnd && earliest > first && latest <= second ? 'rename happened' : 'rename may have happened'];
    return [latest <= second ? 'change' : 'change first seen later may have happened'];
  });
}

function profileOn(day: string, days: readonly KnownDays[]): Omit<Profile, 'events' | 'page'> {
  const texts = new Map<string, string>();
  for (const row of elements('[data-before] > div')) {
    texts.set(row.querySelector('dt')?.textContent ?? '', valueIn(row.querySelector('dd')));
  }
  for (const change of allChanges().reverse()) {
    if (dayOf(change) <= day && !isRename(change)) texts.set(fieldOf(change), textOf(change));
  }
  const [handle, rename] = handleOn(day, days);
  const known: Profile['texts'] = handle === '' ? [...texts] : [['Handle', handle], ...texts];
  const last = lastDay(day, days);
  const date = shownDay(day);
  const isSeen = known.length === 0 || last.seen === `from ${date}`;
  const isLater = !isSeen && day > last.day;
  const title = isSeen ? `profile on ${date}` : `last known profile, ${last.seen}`;
  const gone = lastKnown() === '' ? '' : `No snapshot after ${shownDay(lastKnown())} has this account.`;
  const doubt = isSeen ? '' : isLater ? gone : `It is not known whether a snapshot of ${date} had this account.`;
  const notes = [valuesOn(day), doubt, rename, noteOn(day, known.length === 0, isLater)];
  return { title, texts: known, seen: last.seen, note: notes.filter(Boolean).join(' ') };
}

/** Says which fields had changes that were first seen on a day. Returns '' if none had. */
function valuesOn(day: string): string {
  const records = allChanges().filter((change) => dayOf(change) === day && !isRename(change));
  const fields = new Set(records.filter((record) => !record.matches('.F')).map(fieldOf));
  const counts = [...fields].map((field) => `${field} ${records.filter((record) => fieldOf(record) === field).length}`);
  if (counts.length === 0) return '';
  return `This page has changes first seen on ${shownDay(day)} (UTC): ${counts.join(', ')}. The profile has the last values of that day.`;
}

/** Returns the handle of a day, and why it can be one of two. The first time of a new handle is known only if it has a record. */
function handleOn(day: string, days: readonly KnownDays[]): readonly [handle: string, note: string] {
  const changes = allChanges();
  const change = changes.find((each) => dayOf(each) <= day);
  if (change === undefined) return ['', ''];
  if (!isRename(change)) return [handleIn(change), ''];
  const [before = '', after = ''] = Array.from(change.querySelectorAll('div'), ({ textContent }) => textContent);
  // the newest snapshot of the account shows the present handle
  const isLast = isMainPage() && change === changes[0];
  if (isLast && (day > (days.at(-1)?.to ?? '') || day === lastKnown())) return [after, ''];
  const by = intervalEnd(change)?.textContent;
  const end = by ? ` and by ${by}` : '';
  const note = `${before} was last seen on ${timeOf(change)?.textContent}. The account was renamed to ${after} at an unknown time after that${end}.`;
  // a source still showed the former handle on that day
  return [dayOf(change) === day ? before : `${before} or ${after}`, note];
}

/** Says when the next new value was first seen, or the newest one. Beside another profile, it must name the day. */
function noteOn(day: string, isEmpty: boolean, isLater: boolean): string {
  const records = allChanges().filter((change) => !isRename(change));
  const days = sortedDays(records);
  const [newest = '', oldest = ''] = [days.at(-1), days[0]];
  if (isEmpty) return `No source showed this profile on ${shownDay(day)}: it was first seen on ${shownDay(oldest)}.`;
  const firstSeen = (date: string) => {
    const fields = new Set(records.filter((record) => dayOf(record) === date).map(fieldOf));
    // another page has the fields of its records
    return `first seen on ${shownDay(date)}${fields.size === 0 ? '' : ` (${[...fields].join(', ')})`}`;
  };
  const next = days.find((date) => date > day) ?? firstDayOf(linksTo('Newer')[0]);
  const date = shownDay(day);
  if (next !== '') return `After ${date}, the next new value was ${firstSeen(next)}. The profile may have shown it before that day.`;
  if (isLater) return `This page does not show the profile on ${date}. The newest value was ${firstSeen(newest)}.`;
  if (day === newest) return '';
  return `Before ${date}, the newest value was ${firstSeen(newest)}. This page does not show how long the profile had it.`;
}

/**
 * Shows one profile, or the difference of two. A profile that is not known is not compared, and none is compared with itself.
 */
function shownProfiles(profiles: readonly Profile[]): readonly HTMLElement[] {
  const areKnown = profiles.every(({ texts }) => texts.length > 0);
  const isSame = areKnown && profiles.length === 2 && profiles[0]?.seen === profiles[1]?.seen;
  const shown = isSame ? profiles.slice(1) : profiles;
  const [one, other] = [shown[0], shown.at(-1)];
  const heading = shown.map(({ title }) => title).join(' compared with ');
  const title = element(
    'h2',
    {},
    heading.replace(/^./, (letter) => letter.toUpperCase()),
  );
  const notes = shown.flatMap(({ note }) => (note === '' ? [] : element('p', {}, note)));
  if (one === undefined || other === undefined || !areKnown) return [title, ...notes];
  const [texts, others] = [new Map(one.texts), new Map(other.texts)];
  const fields = [...new Set([...texts.keys(), ...others.keys()])];
  const rows = fields.map((field) => comparedField(field, texts.get(field), others.get(field) ?? ''));
  if (profiles.length === 2) {
    const isEqual = fields.every((field) => texts.get(field) === others.get(field));
    const result = isSame
      ? `Both days lead to the same profile, ${other.seen}. There is nothing to compare.`
      : isEqual
        ? 'No difference.'
        : '';
    const isOnePage = profiles.every(({ page }) => page === other.page);
    const events = isOnePage ? other.events : profiles.flatMap((profile) => profile.events);
    const least = isOnePage ? '' : 'At least ';
    const changes = events.filter((event) => event === 'change').length;
    // a value can have changed and come back
    const seen = isSame ? '' : `${least}${counted(changes, 'change')} ${changes === 1 ? 'was' : 'were'} first seen between these days.`;
    const sentence = (noun: string, verb: string) => {
      const number = events.filter((event) => event === `${noun} ${verb}`).length;
      return number === 0 ? '' : `${least}${counted(number, noun)} ${verb} between these days.`;
    };
    const later = sentence('change', 'first seen later may have happened');
    const renames = [sentence('rename', 'happened'), sentence('rename', 'may have happened')];
    notes.unshift(element('p', {}, [result, seen, later, ...renames].filter(Boolean).join(' ')));
  }
  return [title, element('dl', {}, ...rows), ...notes];
}
