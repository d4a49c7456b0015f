import { parentPort } from 'node:worker_threads';
import { historiesIn, packed, type WindowHistories, type WindowRequest } from './window-histories.ts';

/** Returns undefined if the data is damaged: the main thread then derives the histories itself, and reports the damage. */
function answerTo(request: WindowRequest): WindowHistories | undefined {
  try {
    return packed(historiesIn(request));
  } catch {
    return undefined;
  }
}

parentPort?.on('message', (request: WindowRequest) => {
  const histories = answerTo(request);
  parentPort?.postMessage(histories, histories === undefined ? [] : [histories.heads.buffer, histories.digests.buffer]);
});
