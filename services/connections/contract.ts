import type { OAuthWord } from '../../lib/oauth-config';
import type { BrowserStep, BrowserVisit } from '../auth/contract';

/** The OAuth providers, by the neutral words that stand in their routes. */
export type OAuthProvider = OAuthWord;

/** `expired`: it had an end, and nothing to renew it with. `revoked`: the provider has said that it counts no more. */
export type ConnectionStatus = 'active' | 'expired' | 'revoked';

/** An account at a provider as its tenant sees it; never what it shows there. */
export interface ConnectionView {
  id: string;
  kind: 'oauth' | 'manual';
  /** The connector of a manual one, the provider of an OAuth one. */
  connector: string;
  name: string;
  status: ConnectionStatus;
  /** Whose account it is, as far as the provider tells: an address, a workspace. */
  account: string | null;
  scopes: string[];
  /** When the access token ends; null where it does not, or nobody knows. */
  expires_at: string | null;
  last_error: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
}

/** An access token that counts now. */
export interface AccessTokenView {
  access_token: string;
  token_type: string;
  expires_at: string | null;
  scopes: string[];
}

/** A connection's credentials for a step, or why there are none. */
export type CredentialsFound =
  | {
      kind: 'ready';
      /** `plain`: names of credentials that are no secrets. */
      connection: { id: string; connector: string; credentials: Record<string, string>; plain?: string[] };
    }
  | { kind: 'refused'; error: { code: string; message: string } };

export interface ConnectionsActions {
  /** Which OAuth providers the operator has configured. */
  'connections.oauth_status': (p: Record<string, never>) => {
    providers: Record<OAuthProvider, { configured: boolean; missing: string[] }>;
  };
  /** Begins a flow for the caller's tenant: `ticket` counts once, for ten minutes, in `authorize_url`. */
  'connections.oauth_start': (p: {
    provider: OAuthProvider;
    name?: string;
    scopes?: string[];
    /** Path under the front end at which the browser ends. */
    return_to?: string;
    /** Where the caller has reached the API. */
    origin?: string | null;
  }) => {
    ticket: string;
    authorize_url: string;
    expires_at: string;
  };
  /** Internal, since the gateway counts who asks: a browser on its way to a provider, and back. */
  'connections.suite_authorize': (p: BrowserVisit) => BrowserStep;
  'connections.suite_callback': (p: BrowserVisit) => BrowserStep;
  'connections.notes_authorize': (p: BrowserVisit) => BrowserStep;
  'connections.notes_callback': (p: BrowserVisit) => BrowserStep;
  'connections.chat_authorize': (p: BrowserVisit) => BrowserStep;
  'connections.chat_callback': (p: BrowserVisit) => BrowserStep;
  /** Takes what a flow without a ticket has brought; a code counts once. */
  'connections.claim': (p: { code: string; name?: string }) => ConnectionView;
  'connections.list': (p: Record<string, never>) => { data: ConnectionView[] };
  /** A manual connection. Tried by a live call where the connector has one. */
  'connections.create': (p: {
    connector: string;
    name?: string;
    credentials: Record<string, string | number | boolean>;
  }) => ConnectionView;
  /** Disconnects: what the provider has given is revoked there, and forgotten here. */
  'connections.remove': (p: { id: string }) => void;
  'connections.token': (p: { id: string }) => AccessTokenView;
  'connections.refresh': (p: { id: string }) => ConnectionView;
  /** Internal: credentials of the tenant's connection with that id or name, for one of these connectors. */
  'connections.credentials': (p: { ref: string; connectors: string[]; refused?: string }) => CredentialsFound;
}
