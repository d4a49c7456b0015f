import { parentPort, workerData } from 'node:worker_threads';
import type { PageSpan } from '../../pages/pagination.ts';
import { PageSource } from '../../store/page-source.ts';
import { type RenderJob, SpanRenderer } from './changed-pages.ts';

const job: RenderJob = workerData;
// if the store has changed, all spans are left to the main thread: only its connection still sees the old revision
const source = PageSource.at(job.store, job.revision);
const renderer = source && new SpanRenderer(job, source);

parentPort?.on('message', (span: PageSpan) => parentPort?.postMessage(renderer?.render(span)));
