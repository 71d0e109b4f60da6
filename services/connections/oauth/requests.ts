import { AppError } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import type { OAuthWord } from '../../../lib/oauth-config';
import type { SealedTexts } from '../../../lib/sealed-text';
import type { AuditActor } from '../../../mixins/audit';
import { BrowserRequests, newRequestId, REQUEST_LIFETIME_MS } from '../../../mixins/browser-requests';
import { takeOnce } from '../../../mixins/uses';
import type { ConnectionModels } from '../models';

/** For whom a connection is made, and how it is to be called. */
export interface Wish {
  tenant_id: string;
  actor: AuditActor;
  /** Id of the user, for the record. */
  created_by: string;
  /** Null: after the account. */
  name: string | null;
  /** Path under the front end at which the browser ends. */
  return_to: string;
}

/** Leave to make one connection, carried in an address. */
export interface Ticket {
  id: string;
  provider: OAuthWord;
  wish: Wish;
  scopes: string[];
}

/** A flow under way, as the browser that began it keeps it. `wish` is null where nobody has shown who he is. */
export interface FlowRequest {
  /** The `state`. */
  id: string;
  provider: OAuthWord;
  verifier: string | null;
  redirect_uri: string;
  scopes: string[];
  wish: Wish | null;
}

const TICKET = 'connection ticket';
export const TICKET_LIFETIME_MS = REQUEST_LIFETIME_MS;

/** Tickets and requests of flows: sealed, short-lived, and good once. */
export class FlowRequests {
  readonly kept: BrowserRequests<FlowRequest>;

  constructor(
    private readonly models: Pick<ConnectionModels, 'uses'>,
    private readonly sealed: SealedTexts,
  ) {
    this.kept = new BrowserRequests(sealed, { kind: 'connection request', cookie: 'everstep_connect_' });
  }

  ticket(given: Omit<Ticket, 'id'>, now: number): string {
    const ticket: Ticket = { id: newRequestId(), ...given };
    return this.sealed.seal(TICKET, ticket as unknown as Json, now + TICKET_LIFETIME_MS);
  }

  /** What a ticket gives leave for, once. @throws AppError oauth_failed */
  async redeem(text: string, provider: OAuthWord, now: number): Promise<Ticket> {
    // Sealed by us alone, so it is what `ticket` was given.
    const ticket = this.sealed.open(TICKET, text, now) as unknown as Ticket | null;
    if (ticket?.provider !== provider) {
      throw new AppError(
        'oauth_failed',
        'The ticket is forged, for another provider, or older than 10 minutes; begin again',
      );
    }
    if (await takeOnce(this.models.uses, `ticket ${ticket.id}`, now + TICKET_LIFETIME_MS)) return ticket;
    throw new AppError('oauth_failed', 'The ticket was used before; begin again');
  }

  /** The request that this browser has made, once. @throws AppError oauth_failed */
  async finish(
    state: string,
    provider: OAuthWord,
    visit: Parameters<BrowserRequests<FlowRequest>['find']>[1],
    now: number,
  ): Promise<FlowRequest> {
    const request = this.kept.find(state, visit, now);
    if (request?.provider !== provider) {
      throw new AppError('oauth_failed', 'This browser has not begun this, or took more than 10 minutes; begin again');
    }
    if (await takeOnce(this.models.uses, `request ${request.id}`, now + REQUEST_LIFETIME_MS)) return request;
    throw new AppError('oauth_failed', 'This was finished before; begin again');
  }
}
