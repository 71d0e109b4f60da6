import Stripe from 'stripe';
import { AppError } from '../../lib/errors';
import { isObject, parseJsonOrUndefined } from '../../lib/json';

/** The fields of an event that are used. Everything else is read from the provider's API. */
export interface EventFacts {
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly customer: string | null;
  /** The tenant of the event's object: the reference of a checkout, or its metadata. */
  readonly tenantId: string | null;
  /** The event as JSON text. */
  readonly text: string;
}

/** Older signatures are rejected, so that a captured request cannot be replayed later. */
const TOLERANCE_SECONDS = 5 * 60;
const MAX_ID_CHARS = 255;

/**
 * Verifies the signature of a body and returns its event. Any `v1` of the header may match: there are two during a rotation
 * of the secret. @throws AppError unauthenticated, invalid_request
 */
export function verifiedEvent(body: Buffer, header: string | undefined, secret: string, now: number): EventFacts {
  const { signature } = Stripe.webhooks;
  if (signature === null) throw new Error('The client of the billing provider cannot verify signatures');
  try {
    signature.verifyHeader(body, header ?? '', secret, TOLERANCE_SECONDS, undefined, now);
  } catch (cause) {
    throw new AppError('unauthenticated', 'The signature of this event is missing, wrong or too old', {}, { cause });
  }
  const text = body.toString();
  const facts = factsOf(parseJsonOrUndefined(text));
  if (facts === null) throw new AppError('invalid_request', 'The body is not an event of the billing provider');
  return { ...facts, text };
}

/** Validates the fields that are stored, although the provider has signed them. */
function factsOf(event: unknown): Omit<EventFacts, 'text'> | null {
  if (!isObject(event) || !isObject(event.data) || !isObject(event.data.object)) return null;
  const { id, type, created } = event;
  if (!isId(id) || !isId(type) || typeof created !== 'number' || !Number.isSafeInteger(created)) return null;
  const { object } = event.data;
  const { customer, client_reference_id: reference, metadata } = object;
  const named = isObject(metadata) ? metadata.tenant_id : null;
  // A customer object has its own id; other objects refer to their customer.
  const owner = object.object === 'customer' ? object.id : isObject(customer) ? customer.id : customer;
  return {
    id,
    type,
    createdAt: created * 1_000,
    customer: isId(owner) ? owner : null,
    tenantId: isId(reference) ? reference : isId(named) ? named : null,
  };
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS;
