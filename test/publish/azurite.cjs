// Every ten minutes the emulator collects unreferenced bytes, and does not respond until it has finished.
// After tens of thousands of writes, this takes longer than any publish waits.
require('azurite/dist/src/blob/utils/constants').DEFAULT_GC_INTERVAL_MS = 2 ** 31 - 1;
