import { parentPort, workerData } from 'node:worker_threads';
import { PageSource } from '../store/page-source.ts';
import type { NamedStore } from './account-index-check.ts';

const { store, revision }: NamedStore = workerData;
// if the store has changed, the check is left to the main thread: only its connection still sees the old revision
const source = PageSource.at(store, revision);

parentPort?.on('message', () => parentPort?.postMessage(source?.checkNames()));
