import fc from 'fast-check';
import { beforeEach } from 'vitest';

// files run in one process: what one configures must not be there for the next
fc.resetConfigureGlobal();

// After a failure, fast-check looks for a smaller input, which can take hours. The limit of Vitest does not end that: a property
// that waits for no timer and no file keeps the event loop busy. So fast-check itself ends before the limit of the test.
beforeEach(({ task }) => {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: (3 / 4) * task.timeout, markInterruptAsFailure: true });
});
