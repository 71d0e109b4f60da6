import { Client } from './client';
import { CliError } from './exits';
import { type Profile, Profiles } from './profiles';
import type { World } from './world';

/** Context of a command: the machine, the selected profile, and its server. */
export class Session {
  readonly profiles: Profiles;

  constructor(
    readonly world: World,
    readonly json: boolean,
    private readonly profileName: string | undefined,
  ) {
    this.profiles = new Profiles(world);
  }

  get name(): string {
    return this.profiles.nameOf(this.profileName);
  }

  /** The client of the profile, or of EVERSTEP_URL with EVERSTEP_API_KEY. @throws CliError (signed_out) */
  get client(): Client {
    const { url, credential } = this.profile();
    return new Client(url, credential, this.world.signal);
  }

  profile(): Profile {
    const { EVERSTEP_URL, EVERSTEP_API_KEY } = this.world.env;
    if (EVERSTEP_API_KEY && this.profileName === undefined) {
      if (!EVERSTEP_URL) throw new CliError('usage', 'EVERSTEP_API_KEY is set; set EVERSTEP_URL too');
      const credential = EVERSTEP_API_KEY.trim();
      // An invalid header value would be quoted in the error of fetch.
      if (!isVisible(credential)) throw new CliError('usage', 'EVERSTEP_API_KEY has characters that no key has');
      return { url: serverUrl(EVERSTEP_URL), credential, kind: 'api_key' };
    }
    const profile = this.profiles.find(this.name);
    if (profile !== undefined) return profile;
    throw new CliError('signed_out', `there is no profile "${this.name}"; sign in: everstep login URL`);
  }

  /** Prints JSON if requested, otherwise text. */
  answer(value: unknown, lines: () => void): void {
    if (this.json) this.world.out.json(value);
    else lines();
  }
}

/** Visible ASCII, which credentials consist of and headers allow. */
export const isVisible = (text: string): boolean => /^[!-~]+$/.test(text);

/** A base URL to which paths can be appended. @throws CliError (usage) */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search)
    throw new CliError(
      'usage',
      `"${text.replace(/\/\/[^/]*@/, '//')}" must be an address such as https://everstep.example.com`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
