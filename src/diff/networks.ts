import type { Profile } from '../contract/snapshots/observation.ts';
import { HOST, type MentionForm } from './entities.ts';

/** How a service links mentions and hashtags. */
export interface Network {
  readonly mentions: MentionForm;
  /** The server of the author, for mentions that name no server; '' if the service has no servers. */
  readonly server: string;
  /**
   * URL templates. `{}` is replaced by the percent-encoded name or tag, as the text has it after the sign, and `{user}` and `{server}`
   * by the parts of `name@example.org`.
   */
  readonly mention_url: string;
  readonly hashtag_url: string;
}

/** Templates that replace those of every network. */
export interface LinkTemplates {
  readonly mention_url?: string | undefined;
  readonly hashtag_url?: string | undefined;
}

export const TWITTER: Network = {
  mentions: 'name',
  server: '',
  mention_url: 'https://twitter.com/{}',
  hashtag_url: 'https://twitter.com/search?q=%23{}',
};
const BLUESKY: Network = {
  mentions: 'domain',
  server: '',
  mention_url: 'https://bsky.app/profile/{}',
  hashtag_url: 'https://bsky.app/hashtag/{}',
};
const MASTODON: Network = {
  mentions: 'address',
  server: '',
  mention_url: 'https://{server}/@{user}',
  hashtag_url: 'https://{server}/tags/{}',
};

const ON_SERVER = new RegExp(`^[^@]+@(${HOST}(?::\\d{1,5})?)$`, 'u');

/** A handle of Bluesky. Names at Twitter have no dot. */
const DOMAIN = new RegExp(`^${HOST}$`, 'u');

/**
 * Returns the network of an account. Its keys show it, in documents of services and in neutral snapshots alike: an id of Bluesky is
 * a DID and a handle of it a domain; handles and ids of Mastodon end with the server. Every other account counts as one of Twitter.
 */
export function networkOf({ screen_name, id }: Pick<Profile, 'screen_name' | 'id'>, templates: LinkTemplates = {}): Network {
  const server = ON_SERVER.exec(screen_name ?? id ?? '')?.[1];
  const isDomain = DOMAIN.test(screen_name ?? '');
  const network = id?.startsWith('did:') || isDomain ? BLUESKY : server === undefined ? TWITTER : { ...MASTODON, server };
  return {
    ...network,
    mention_url: templates.mention_url ?? network.mention_url,
    hashtag_url: templates.hashtag_url ?? network.hashtag_url,
  };
}
