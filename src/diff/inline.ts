import type { Entity } from './entities.ts';
import type { Network } from './networks.ts';
import type { Segment, TokenSegment } from './segments.ts';
import type { Token } from './tokens.ts';

const TAGS: { readonly [K in Segment['kind']]: readonly [string, string] } = {
  kept: ['<span>', '</span>'],
  removed: ['<del style="background:#ffe6e6;">', '</del>'],
  added: ['<ins style="background:#e6ffe6;">', '</ins>'],
};

/** Formats a change inline: each segment in its element, mentions and hashtags as links, line breaks as `<br>`. */
export function inline(segments: readonly TokenSegment[], network: Network): string {
  return segments.map(({ kind, tokens }) => `${TAGS[kind][0]}${content(tokens, network)}${TAGS[kind][1]}`).join('');
}

/** Formats tokens. The text between two links is escaped at once, because most tokens are single characters. */
function content(tokens: readonly Token[], network: Network): string {
  let [html, plain] = ['', ''];
  for (const { text, entity } of tokens) {
    if (entity === undefined) {
      plain += text;
    } else {
      html += escapeText(plain) + link(text, entity, network);
      plain = '';
    }
  }
  return html + escapeText(plain);
}

function link(text: string, { kind, name }: Entity, network: Network): string {
  const [user = '', server = network.server] = kind === 'mention' ? name.split('@') : [];
  const url = (kind === 'mention' ? network.mention_url : network.hashtag_url)
    .replaceAll('{user}', () => encodeURIComponent(user))
    .replaceAll('{server}', () => encodeURI(server))
    .replaceAll('{}', () => encodeURIComponent(name));
  // not every name of a server can be in a URL
  if (server !== '' && !URL.canParse(url)) return escapeText(text);
  return `<a href="${escapeAttribute(url)}">${escapeText(text)}</a>`;
}

const ESCAPES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? '').replace(/\r\n?|\n/g, '<br>');
}

/** Escapes text for an attribute value in quotes of either kind. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
