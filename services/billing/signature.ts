import Stripe from 'stripe';
import { AppError } from '../../lib/errors';
import { isObject } from '../../lib/json';

/** What of an event counts here: the rest is asked anew. */
export interface EventFacts {
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly customer: string | null;
  /** The tenant that its object names: as the reference of a checkout, or in its metadata. */
  readonly tenantId: string | null;
  /** The event as JSON text. */
  readonly text: string;
}

/** An older signature is refused, so that nobody can send again what he has overheard. */
const TOLERANCE_SECONDS = 5 * 60;
const MOST_ID = 255;

/**
 * The event in a body that bears a signature of the provider: any `v1` of the header will do, since there are two while
 * the secret is changed. @throws AppError unauthenticated, invalid_request
 */
export function verifiedEvent(body: Buffer, header: string | undefined, secret: string, now: number): EventFacts {
  const { signature } = Stripe.webhooks;
  if (signature === null) throw new Error('The client of the billing provider cannot verify signatures');
  try {
    signature.verifyHeader(body, header ?? '', secret, TOLERANCE_SECONDS, undefined, now);
  } catch (cause) {
    throw new AppError('unauthenticated', 'The signature of this event is missing, wrong or too old', {}, { cause });
  }
  const facts = factsOf(parsed(body));
  if (facts === null) throw notAnEvent();
  return { ...facts, text: body.toString() };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw notAnEvent(cause);
  }
}

/** The provider has signed it; all the same nothing is taken for granted that would be stored. */
function factsOf(event: unknown): Omit<EventFacts, 'text'> | null {
  if (!isObject(event) || !isObject(event.data) || !isObject(event.data.object)) return null;
  const { id, type, created } = event;
  if (!isId(id) || !isId(type) || typeof created !== 'number' || !Number.isSafeInteger(created)) return null;
  const { object } = event.data;
  const { customer, client_reference_id: reference, metadata } = object;
  const named = isObject(metadata) ? metadata.tenant_id : null;
  // A customer tells of himself, everything else of whom it belongs to.
  const owner = object.object === 'customer' ? object.id : isObject(customer) ? customer.id : customer;
  return {
    id,
    type,
    createdAt: created * 1_000,
    customer: isId(owner) ? owner : null,
    tenantId: isId(reference) ? reference : isId(named) ? named : null,
  };
}

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= MOST_ID;

const notAnEvent = (cause?: unknown): AppError =>
  new AppError('invalid_request', 'This is no event of the billing provider', {}, { cause });
