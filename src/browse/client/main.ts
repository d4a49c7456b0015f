import { addCitations, addPrintedAddress } from './citation.ts';
import { addComparison } from './comparison.ts';
import { addDateFilter } from './date-filter.ts';
import { addDownloads } from './downloads.ts';
import { addKeyboard } from './keyboard.ts';
import { addPermalinks, keepFragment } from './permalinks.ts';
import { addProfileOfDay } from './profile-of-day.ts';
import { addSearchBox } from './search-box.ts';

keepFragment();
addPermalinks();
addSearchBox();
addKeyboard();
addDateFilter();
addComparison();
addProfileOfDay();
addDownloads();
addCitations();
addPrintedAddress();
