// Writes the sample: invented accounts and their invented changes, as NDJSON and as saved pages of both
// collections. The same bytes each time:
//   node data/sample.js
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

const FOLDER = new URL('./sample/', import.meta.url);
const BASE = 'http://127.0.0.1:8080';
const PAGE_SIZE = 100;
const ACCOUNT_PAGE_SIZE = 20;

// screen name; then the values that each field had, one after another
const PEOPLE = [
  [
    'lantern_bakery',
    {
      Name: ['Lantern Bakery', 'Lantern Bakery 🥐'],
      Bio: ['Bread at six, news at seven.', 'Bread at six, news at seven.\nClosed Mondays.', 'Bread at six. Closed Mondays. #sourdough'],
      Location: ['Harbour Street 4', 'Harbour Street 4 & 6'],
      Website: ['http://lantern-bakery.example', 'https://lantern-bakery.example', null],
    },
  ],
  [
    'orla_quill',
    {
      Name: ['Orla Quill', 'Orla Quill (she/her)'],
      Bio: ['Poet. Opinions rhyme.', 'Poet & <em>typesetter</em>. Opinions rhyme.', 'Poet & typesetter at @inkwell_press'],
      Location: ['', 'Galway'],
      Website: ['', 'https://orlaquill.example/poems'],
    },
  ],
  [
    'inkwell_press',
    {
      Name: ['Inkwell Press'],
      Bio: [
        'Small books for small rooms. #letterpress #poetry',
        'Small books for small rooms. Submissions open! #letterpress #poetry',
        'Small books for small rooms. #letterpress #poetry',
      ],
      Location: ['Dublin, Ireland'],
      Website: ['http://inkwell.example', 'http://inkwell.example/catalogue'],
    },
  ],
  [
    'hut_am_joch',
    {
      Name: ['Hütte am Joch', 'Schutzhütte am Joch'],
      Bio: [
        '2 304 m ü. d. M. Von Juni bis Oktober offen.',
        '2 304 m ü. d. M. Heuer schon ab Mai offen!',
        'Winterraum offen, bitte Holz sparen. ⛰️',
      ],
      Location: ['Am Joch'],
      Website: ['https://joch.example'],
    },
  ],
  [
    'kaze_no_eki',
    {
      Name: ['風の駅', '風の駅🚉'],
      Bio: ['海の見える無人駅です。', '海の見える無人駅です。\n毎朝六時に掃除しています。', '海の見える駅。#無人駅 #海'],
      Location: ['青い海のそば'],
      Website: [''],
    },
  ],
  [
    'maktabat_alsabah',
    {
      Name: ['مكتبة الصباح', 'مكتبة الصباح 📚'],
      Bio: ['كتب قديمة وقهوة جديدة', 'كتب قديمة وقهوة جديدة\nمن التاسعة حتى الغروب', 'كتب قديمة، قهوة جديدة @orla_quill'],
      Location: ['المدينة القديمة'],
      Website: ['https://maktaba.example', null],
    },
  ],
  [
    'sefer_vegan',
    {
      Name: ['ספר וגן'],
      Bio: ['קוראים בגינה בכל יום שישי', 'קוראים בגינה (reading in the garden) בכל יום שישי'],
      Location: ['', 'גינת העיר'],
      Website: [''],
    },
  ],
  [
    'dr_tidepool',
    {
      Name: ['Dr. Tidepool', 'Dr. Tidepool 🦀', 'Tidepool'],
      Bio: [
        'I count limpets for a living.',
        'I count limpets for a living. 1,204 today.',
        'I count limpets for a living. 1,198 today.',
        '',
      ],
      Location: ['Low water mark'],
      Website: ['http://tidepool.example/log'],
    },
  ],
  [
    'night_tram_9',
    {
      Name: ['Night Tram 9'],
      Bio: ['Last tram 00:47.', 'Last tram 00:52.', 'Last tram 00:52. Lost umbrellas: write to lost@tram.example'],
      Location: ['Depot → Harbour → Depot'],
      Website: ['https://tram.example/9'],
    },
  ],
  [
    'bela_kovacs_v',
    {
      Name: ['Béla Kovács', 'Kovács Béla'],
      Bio: ['Hegedűkészítő. Minden fának van hangja.', 'Hegedűkészítő és -javító. Minden fának van hangja. 🎻'],
      Location: ['Szeged', 'Pécs', 'Szeged'],
      Website: [''],
    },
  ],
  [
    'pixel_loom',
    {
      Name: ['Pixel Loom', 'pixel loom', 'PIXEL LOOM ▓▒░'],
      Bio: ['weaving with #generative code', 'weaving with #generative code — prints at the link ↓', 'weaving. unweaving.'],
      Location: ['~/loom'],
      Website: ['https://loom.example', 'https://loom.example/shop', ''],
    },
  ],
  [
    'amma_cooks',
    {
      Name: ['Amma Cooks', 'அம்மா சமையல்'],
      Bio: ['Recipes of my grandmother, one a day 🌶️', 'Recipes of my grandmother, one a week 🌶️ #சமையல்'],
      Location: ['Kitchen'],
      Website: ['https://amma.example'],
    },
  ],
  [
    'observatory_hill',
    {
      Name: ['Hill Observatory'],
      Bio: [
        'Open nights: first Friday. Clear skies!',
        'Open nights: first & third Friday. Clear skies! 🔭',
        'Closed for the mirror: back in May. 🔭',
      ],
      Location: ['52.1 N', '52.1° N, 5.2° E'],
      Website: ['http://hill.example'],
    },
  ],
  [
    'yara_runs',
    {
      Name: ['Yara', 'Yara 🏃🏽‍♀️', 'Yara 🏃🏽‍♀️💨'],
      Bio: ['5k → 10k → ?', '5k → 10k → 21k', 'she/her | 42.195 done ✅'],
      Location: ['São Paulo'],
      Website: [''],
    },
  ],
  [
    'old_weather',
    {
      Name: ['Old Weather'],
      Bio: [
        'The weather a hundred years ago today, from ships’ logs.',
        'The weather a hundred years ago today, from ships’ logs. Run by @dr_tidepool',
      ],
      Location: ['At sea'],
      Website: ['http://oldweather.example', 'https://oldweather.example'],
    },
  ],
  [
    'mister_mossy',
    {
      Name: ['Mr Mossy'],
      Bio: ['', 'moss.', 'moss. lichen.', 'moss. lichen. rain.'],
      Location: ['', 'north side of the tree'],
      Website: [''],
    },
  ],
  [
    'cable_ferry',
    {
      Name: ['Kaapeliferry', 'Cable Ferry'],
      Bio: ['Ferjeklokka går hver time.', 'Ferja går hvert kvarter. "Ring the bell!"'],
      Location: ['Fjorden \\ The fjord'],
      Website: ['https://ferry.example/?lang=no&lang=en'],
    },
  ],
  [
    'lena_maps',
    {
      Name: ['Лена и карты', 'Лена 🗺️'],
      Bio: [
        'Рисую карты несуществующих городов.',
        'Рисую карты несуществующих городов. Заказы открыты.',
        'Рисую карты. Заказы закрыты до весны.',
      ],
      Location: ['Нигде'],
      Website: ['https://maps.example', null],
    },
  ],
  [
    'two_rivers_radio',
    {
      Name: ['Two Rivers Radio'],
      Bio: ['98.1 FM\nFolk, farm reports, frogs.', '98.1 FM\r\nFolk, farm reports, frogs.\r\nMorning show: @night_tram_9'],
      Location: ['Where they meet'],
      Website: ['http://tworivers.example'],
    },
  ],
  [
    'zeno_puzzles',
    {
      Name: ['Zeno', 'Zeno ½', 'Zeno ¾'],
      Bio: ['halfway there', 'half of halfway there', 'I am < 1 & > 0'],
      Location: ['ε'],
      Website: [''],
    },
  ],
];

// a second score of accounts that were seen twice and changed little
const QUIET = [
  'alder',
  'birch',
  'cedar',
  'dogwood',
  'elm',
  'fir',
  'ginkgo',
  'hazel',
  'ivy',
  'juniper',
  'katsura',
  'larch',
  'maple',
  'nutmeg',
  'oak',
  'pine',
  'quince',
  'rowan',
  'spruce',
  'teak',
].map((tree, index) => [
  `grove_${tree}`,
  {
    Name: [`Grove: ${tree}`],
    Bio: [
      `Tree no. ${index + 1} of the grove.`,
      `Tree no. ${index + 1} of the grove. ${index % 2 ? '🍂' : '🌱'} Next to @grove_${index ? 'alder' : 'teak'}`,
    ],
    Location: [`Row ${1 + (index % 4)}`],
    Website: index % 3 ? [''] : [`https://grove.example/${tree}`, null],
  },
]);

const escapeText = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const inline = (text) =>
  escapeText(text)
    .replace(/\r\n|\r|\n/g, '<br>')
    .replace(/(^|[\s(])@(\w+)/g, '$1<a href="https://twitter.com/$2">@$2</a>')
    .replace(
      /(^|[\s(])#([\p{L}\p{M}\p{N}_]+)/gu,
      (_, before, tag) => `${before}<a href="https://twitter.com/search?q=%23${tag}">#${tag}</a>`,
    );
const link = (url) => (url ? `<a href='${escapeText(url)}'>${escapeText(url)}</a>` : '');

function diffHtml(type, before, after) {
  if (type === 'Website') return `\n<del>${link(before)}</del><br /><ins>${link(after)}</ins>\n`;
  if (type === 'Location') return `\n<del>${escapeText(before ?? '')}</del><br /><ins>${escapeText(after)}</ins>\n`;
  const removed = before ? `<del style="background:#ffe6e6;">${inline(before)}</del>` : '';
  const added = after ? `<ins style="background:#e6ffe6;">${inline(after)}</ins>` : '';
  return removed + added;
}

/** Every change: its moment, then in the order of the fields. */
function changes() {
  const all = [];
  for (const [index, [account, fields]] of [...PEOPLE, ...QUIET].entries()) {
    const verified = index % 7 === 0 ? ['false', 'true'] : index % 5 === 0 ? ['true'] : ['false'];
    for (const [type, values] of Object.entries({ ...fields, Verified: verified })) {
      for (const [turn, value] of values.entries()) {
        const day = 1 + index * 3 + turn * (61 + ((index * 7 + type.length * 13) % 50));
        all.push({
          moment: Date.UTC(2019, 0, day, (index * 5) % 24, turn ? (index * 11) % 60 : 0),
          account,
          type,
          turn,
          value,
          before: turn ? values[turn - 1] : null,
        });
      }
    }
  }
  return all.sort((a, b) => a.moment - b.moment);
}

const newest = new Map();
const records = changes().map(({ moment, account, type, turn, value, before }, index) => {
  const id = index + 1 + (index > 200 ? 17 : 0);
  const key = `${account} ${type}`;
  const previous = newest.get(key) ?? null;
  newest.set(key, id);
  const seconds = new Date(moment).toISOString().slice(0, 19);
  return {
    id,
    account,
    data_type: type,
    previous,
    text: value,
    // until the end of 2019 the service kept whole seconds
    first_encountered_date: index < 230 ? `${seconds}Z` : `${seconds}.${String((id * 7919) % 1_000_000).padStart(6, '0')}Z`,
    diff_html: diffHtml(type, turn ? before : null, value),
    web_archive_url:
      turn && id % 4 === 0 ? `https://web.archive.example/web/2019/https://twitter.com/${account}` : id % 5 === 0 ? '' : null,
  };
});
const dates = records.map((record) => record.first_encountered_date.replace(/(:\d\d)Z/, '$1.000000Z'));
for (let index = 1; index < dates.length; index += 1) {
  if (dates[index] < dates[index - 1]) records[index].first_encountered_date = records[index - 1].first_encountered_date;
}

const accounts = [...PEOPLE, ...QUIET]
  .map(([screen_name], index) => {
    const data = records.filter((record) => record.account === screen_name).toReversed();
    const current = (type) => data.find((record) => record.data_type === type)?.text ?? null;
    return {
      screen_name,
      account_creation_date:
        index % 9 === 4
          ? null
          : `20${String(8 + (index % 9)).padStart(2, '0')}-0${1 + (index % 9)}-1${index % 10}T0${index % 10}:15:0${index % 10}Z`,
      profile_image_url: `https://images.example/${screen_name}.png`,
      data,
      data_page_count: Math.ceil(data.length / PAGE_SIZE),
      display_name: current('Name'),
      website: current('Website'),
      location: current('Location'),
      bio: current('Bio'),
    };
  })
  .sort((a, b) => a.data.at(-1).id - b.data.at(-1).id);

function write(name, lines) {
  writeFileSync(new URL(name, FOLDER), lines);
}

function writePages(collection, items, size) {
  mkdirSync(new URL(`saved-pages/${collection}/`, FOLDER), { recursive: true });
  const pages = Math.ceil(items.length / size);
  const url = (page) => `${BASE}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
  for (let page = 1; page <= pages; page += 1) {
    const envelope = {
      count: items.length,
      next: page < pages ? url(page + 1) : null,
      previous: page > 1 ? url(page - 1) : null,
      results: items.slice((page - 1) * size, page * size),
    };
    write(`saved-pages/${collection}/${page}.json`, JSON.stringify(envelope));
  }
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
write('records.ndjson', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
write('accounts.ndjson', accounts.map((account) => `${JSON.stringify(account)}\n`).join(''));
writePages('data', records.toReversed(), PAGE_SIZE);
writePages('account', accounts, ACCOUNT_PAGE_SIZE);
