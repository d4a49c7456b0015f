import { parentPort } from 'node:worker_threads';
import { BatchEncoder, type ReadRequest } from './batch-encoder.ts';

const encoder = new BatchEncoder();

parentPort?.on('message', (request: ReadRequest) => {
  const batch = encoder.encode(request);
  parentPort?.postMessage(batch, batch === undefined ? [] : [batch.json.buffer]);
});
