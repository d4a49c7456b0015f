import { parentPort } from 'node:worker_threads';
import { diffHtml } from '../diff/diff-html.ts';
import type { PredictedChange } from './diffs-in-advance.ts';

parentPort?.on('message', (changes: readonly PredictedChange[]) => {
  parentPort?.postMessage(changes.map((change) => [JSON.stringify(change), diffHtml(...change)]));
});
