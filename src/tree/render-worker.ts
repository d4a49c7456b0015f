import { workerData } from 'node:worker_threads';
import { renderFrom } from './render.ts';

renderFrom(workerData, 'last');
