import { expect, it } from 'vitest';
import { packMember, STEP } from '../../src/zip/member.ts';

const ENVELOPE = '{"count":1,"next":null,"previous":null,"results":[';

it.each([0, 1, STEP, STEP + 1, STEP + 0xffff, STEP + 0x10001, 3 * STEP + 7])(
  'a member of %i bytes does not depend on its chunks',
  (size) => {
    const path = 'rest/account/index.json';
    const bytes = Buffer.alloc(ENVELOPE.length + size, '{"id":1234567},');
    bytes.write(ENVELOPE);
    const whole = packMember(path, [bytes]);
    for (const chunk of [100_000, STEP])
      expect(
        packMember(
          path,
          Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) => bytes.subarray(at * chunk, (at + 1) * chunk)),
        ).equals(whole),
      ).toBe(true);
  },
);

it.each(['rest/data/index.json', 'style.css'])('an empty chunk without memory changes nothing of %s', (path) => {
  const bytes = Buffer.from(`${ENVELOPE}]}`);
  const pieces = [bytes.subarray(0, ENVELOPE.length), Buffer.from(new ArrayBuffer(0)), bytes.subarray(ENVELOPE.length)];
  expect(packMember(path, pieces)).toEqual(packMember(path, [bytes]));
});
