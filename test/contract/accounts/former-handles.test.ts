import { expect, it } from 'vitest';
import { formerHandlesOf } from '../../../src/contract/accounts/former-handles.ts';

it.each<[name: string, handles: readonly string[], former: readonly string[]]>([
  ['a handle that another account took, with `~` and more', ['a', 'a~12', 'b~c', 'd'], ['a', 'b~c']],
  ['but not one with `~` from the time before', ['a~12', 'a', 'b'], ['a~12', 'a']],
  ['the present handle is such a name', ['a', 'a~12'], ['a']],
  ['the stable id', ['did:plc:abc~~', 'a', 'did:plc:abc', 'b'], ['a']],
  ['what Bluesky shows in place of a handle that it cannot verify', ['a', 'handle.invalid', 'a'], []],
  ['a handle that was shown twice', ['a', 'a', 'b', 'b', 'c'], ['a', 'b']],
  ['the present handle, which the account had before', ['a', 'b', 'a', 'b', 'a'], ['b', 'b']],
])('the former handles of an account are without the present one and without names that nobody used: %s', (_, handles, former) => {
  const former_handles = handles.slice(0, -1).map((handle, seen_to) => ({ handle, seen_to }));
  const account = { screen_name: handles.at(-1) ?? '', stable_id: 'did:plc:abc', former_handles };
  expect(formerHandlesOf(account).map(({ handle }) => handle)).toEqual(former);
});
