const constants = require('azurite/dist/src/blob/utils/constants');

// Every ten minutes the emulator collects unreferenced bytes, and does not respond until it has finished.
// After tens of thousands of writes, this takes longer than any publish waits.
constants.DEFAULT_GC_INTERVAL_MS = 2 ** 31 - 1;
// The emulator closes a connection that is idle for five seconds, perhaps while a test sends its next request. In seconds; the
// emulator ignores its own option.
constants.DEFAULT_BLOB_KEEP_ALIVE_TIMEOUT = 600;
