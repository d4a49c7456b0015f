// Every ten minutes the emulator looks for bytes that nothing refers to, and answers nobody until it has them all.
// After tens of thousands of writes that takes longer than any publish would wait.
require('azurite/dist/src/blob/utils/constants').DEFAULT_GC_INTERVAL_MS = 2 ** 31 - 1;
