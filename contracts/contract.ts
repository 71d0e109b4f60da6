import type { ErrorCode } from '../lib/errors';
import type { Role } from '../lib/roles';
import type { Schema } from '../lib/schema';
import type { Rules } from './rules';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call an action: anyone; services alone; people and keys from a role upward; `gateway`: anyone over HTTP, where
 * the gateway counts attempts, and on the bus services alone; `operator`: operators of the installation, and for everyone
 * else the action does not exist.
 */
type Access = 'public' | 'internal' | 'gateway' | 'operator' | Role;

/** What the gateway adds to the params of a request, whatever its body says. */
export type GatewayParam =
  | 'address'
  | 'user_agent'
  | 'origin'
  | 'idempotency_key'
  | 'token'
  | 'session'
  | 'if_match'
  | 'if_none_match';

/** Everything about an action but what it does. */
export interface ActionContract {
  readonly access: Access;
  /** One sentence, without its full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly params: Rules;
  readonly result: Schema<unknown>;
  /** Codes by which it refuses, beside `invalid_request`, those of credentials and roles, and faults of the service. */
  readonly errors?: readonly ErrorCode[];
  /** It may be carried out twice without harm, so it is asked of another node when the one that had it went away. */
  readonly repeatable?: true;
  /** Starts or steers runs of what is there: API keys with the scope `run` may call it, too. */
  readonly runs?: true;
  /** Open to members who still have to set up the second factor that their tenant requires. */
  readonly withoutSecondFactor?: true;
  /** Open to members of a suspended tenant, though it changes something. What only reads is open to them without this. */
  readonly whileSuspended?: true;
  /** Integrators may call it over NATS, and no action without this; `docs/nats.md` lists them. */
  readonly integrators?: true;

  /** Method and path; `:name` is a param, and `:name(a|b)` makes a route for each of the words. Absent: it has no route of its own. */
  readonly rest?: `${Method} /${string}`;
  /** Of the answer; 200 when absent. */
  readonly status?: 201 | 202 | 204;
  /** What an Idempotency-Key does: replay of the stored answer, or the action sees to it itself; nothing when absent. */
  readonly idempotency?: 'replay' | 'action';
  /** Takes `limit` and `offset`; a catalogue is answered as a whole where the request names no limit. */
  readonly paged?: true | 'catalogue';
  /** The param that is the whole body. Without it, params are the body (POST, PUT) or the query, and over them the path. */
  readonly body?: string;
  readonly given?: readonly GatewayParam[];
  /** Params that a POST or PUT takes from the query instead of the body. */
  readonly query?: readonly string[];
}

export type Actions = Readonly<Record<string, ActionContract>>;

/** What a service promises. */
export interface Contract<S extends string, A extends Actions> {
  readonly name: S;
  readonly actions: A;
}

/** Some actions of a service, where a file does not hold them all. */
export const actions = <const A extends Actions>(given: A): A => given;

export const contract = <const S extends string, const A extends Actions>(name: S, given: A): Contract<S, A> => ({
  name,
  actions: given,
});
