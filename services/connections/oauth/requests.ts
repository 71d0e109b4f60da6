import { AppError } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import type { OAuthProvider } from '../../../lib/oauth-config';
import type { SealedTexts } from '../../../lib/sealed-text';
import type { AuditActor } from '../../../mixins/audit';
import { BrowserRequests, newRequestId, REQUEST_LIFETIME_MS } from '../../../lib/browser-requests';
import { consumeOnce } from '../../../lib/nonce-store';
import type { ConnectionModels } from '../models';

/** The owner and the name of a connection to be made. */
export interface ConnectionRequest {
  tenant_id: string;
  actor: AuditActor;
  /** Id of the user, for the record. */
  created_by: string;
  /** Null: named after the account. */
  name: string | null;
  /** Path of the front end to which the browser is redirected at the end. */
  return_to: string;
  /** Id of the connection to be connected again; absent: a new one, or that of the account. */
  connection?: string;
}

/** What a flow goes through: a built-in provider, or an OAuth app. */
export type FlowProvider = OAuthProvider | 'app';

/** Permission to make one connection, passed as a query parameter. */
interface Ticket {
  id: string;
  provider: FlowProvider;
  /** Present if the provider is `app`. */
  app_id?: string;
  wish: ConnectionRequest;
  scopes: string[];
}

/** A pending flow, stored in a cookie of its browser. The `wish` is null for an unauthenticated flow. */
export interface FlowRequest {
  /** The `state`. */
  id: string;
  provider: FlowProvider;
  app_id?: string;
  verifier: string | null;
  redirect_uri: string;
  scopes: string[];
  wish: ConnectionRequest | null;
}

const TICKET = 'connection ticket';
export const TICKET_LIFETIME_MS = REQUEST_LIFETIME_MS;

/** Tickets and requests of flows: encrypted, short-lived, and usable once. */
export class FlowRequests {
  readonly pending: BrowserRequests<FlowRequest>;

  constructor(
    private readonly models: Pick<ConnectionModels, 'uses'>,
    private readonly sealed: SealedTexts,
  ) {
    this.pending = new BrowserRequests(sealed, { kind: 'connection request', cookie: 'everstep_connect_' });
  }

  ticket(given: Omit<Ticket, 'id'>, now: number): string {
    const ticket: Ticket = { id: newRequestId(), ...given };
    return this.sealed.seal(TICKET, ticket as unknown as Json, now + TICKET_LIFETIME_MS);
  }

  /** Redeems a ticket, once. @throws AppError oauth_failed */
  async redeem(text: string, provider: FlowProvider, now: number): Promise<Ticket> {
    // Only `ticket` encrypts such texts, so the content has this type.
    const ticket = this.sealed.open(TICKET, text, now) as unknown as Ticket | null;
    if (ticket?.provider !== provider) {
      throw new AppError(
        'oauth_failed',
        'Invalid ticket: it is for another provider, not issued here, or older than 10 minutes; start again',
      );
    }
    if (await consumeOnce(this.models.uses, `ticket ${ticket.id}`, now + TICKET_LIFETIME_MS)) return ticket;
    throw new AppError('oauth_failed', 'The ticket was used before; start again');
  }

  /** The pending request of this browser, once. @throws AppError oauth_failed */
  async finish(
    state: string,
    provider: FlowProvider,
    visit: Parameters<BrowserRequests<FlowRequest>['find']>[1],
    now: number,
  ): Promise<FlowRequest> {
    const request = this.pending.find(state, visit, now);
    if (request?.provider !== provider) {
      throw new AppError(
        'oauth_failed',
        'This browser has not started this flow, or it took more than 10 minutes; start again',
      );
    }
    if (await consumeOnce(this.models.uses, `request ${request.id}`, now + REQUEST_LIFETIME_MS)) return request;
    throw new AppError('oauth_failed', 'This flow was finished before; start again');
  }
}
