import { groupConforms } from './hosts.ts';

await groupConforms('simulators');
