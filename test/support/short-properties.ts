import fc from 'fast-check';
import { afterAll } from 'vitest';

// All tests of a mutant run if none of them notices it. So each property is tried for a second, with the same values each time,
// and a failure is not made smaller.
fc.configureGlobal({ seed: 1, endOnFailure: true, interruptAfterTimeLimit: 1000 });

// the next file is loaded without the mutant, because the thread is kept
afterAll(() => Object.assign(Reflect.get(globalThis, '__stryker__'), { activeMutant: undefined }));
