import { groupConforms } from './hosts.ts';

await groupConforms('runtimes');
