import { addComparison } from './comparison.ts';
import { addDateFilter } from './date-filter.ts';
import { addKeyboard } from './keyboard.ts';
import { addPermalinks, keepFragment } from './permalinks.ts';
import { addSearchBox } from './search-box.ts';

keepFragment();
addPermalinks();
addSearchBox();
addKeyboard();
addDateFilter();
addComparison();
