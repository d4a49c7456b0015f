import { groupConforms, othersConform } from './hosts.ts';

await groupConforms('servers');
await othersConform();
