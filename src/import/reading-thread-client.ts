import { AnsweringThread } from '../store/answering-thread.ts';
import type { EncodedBatch, ReadRequest } from './encoded-batch.ts';

/** A thread that reads values. It has no answer if the values have an error. */
export class ReadingThread extends AnsweringThread<ReadRequest, EncodedBatch> {
  constructor() {
    super(new URL('./reading-thread.js', import.meta.url));
  }
}
