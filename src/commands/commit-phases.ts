import type { CommitPhase } from '../store/writing/batch.ts';
import { items, type Phases } from '../terminal/progress.ts';

/** The phases that end every command that writes to the store. */
export const COMMIT_PHASES: Phases<CommitPhase> = {
  index: { label: 'indexing the records', amount: items('record') },
  histories: { label: 'updating accounts', amount: items('account') },
  commit: { label: 'writing the store', amount: items('record') },
};
